// test_words_timeouts.c - the report of a function that does not return names its line.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "sandbox/available.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

// Judges a function that never returns. The report must name line 3 of its loop.
static char *judge_endless(const char *where, const char *body, const char *suffix,
                           bool untrusted)
{
    write_function(where, body, suffix);
    struct options options = options_for(where);
    options.seconds = 1;
    options.untrusted = untrusted;
    options.gpu = strcmp(suffix, "cu") == 0 ? GPU_SIMULATED : CPU;
    options.no_cpu = options.gpu != CPU;
    return report_of(&options, TIMEOUT);
}

// " at ...attention.c:LINE in function", where LINE is the line with "// HERE".
static void expect_place(const char *text, const char *file, const char *function)
{
    char *command = grader_print("grep -n HERE %s/01_simple_attention/%s | cut -d: -f1",
                                 words_tree, file);
    FILE *pipe = popen(command, "r");
    char line[16] = "";
    cr_assert_not_null(fgets(line, sizeof line, pipe));
    pclose(pipe);
    line[strcspn(line, "\n")] = '\0';
    char *place = grader_print("01_simple_attention/%s:%s in %s\n", file, line, function);
    cr_expect_not_null(strstr(text, place), "no %s in\n%s", place, text);
    free(place);
    free(command);
}

Test(words, a_timeout_names_the_line)
{
    char *text = judge_endless(
        "1.3 attention_scores",
        "    for (volatile size_t t = 0; t < T + 1; t *= 1) { scores[0] = 0; } // HERE\n"
        "    return LAB_OK;\n",
        "c", false);
    expect_words(text, "does not return within 1 seconds");
    expect_words(text, "in the call attention_scores(T=");
    expect_place(text, "attention.c", "attention_scores");
    cr_expect_null(strstr(text, "your code printed"), "it printed nothing:\n%s", text);
    free(text);
}

// A loop of one instruction, which jumps to itself. The byte before it is of another line.
Test(words, a_loop_of_one_instruction_has_its_own_line)
{
#if defined(__x86_64__)
#define LOOP "1: jmp 1b"
#else
#define LOOP "1: b 1b"
#endif
    char *text = judge_endless("1.3 attention_scores",
                               "    scores[0] = q[0] * k[0];\n"
                               "    __asm__ volatile(\"" LOOP "\"); // HERE\n"
                               "    return LAB_OK;\n",
                               "c", false);
    expect_place(text, "attention.c", "attention_scores");
    free(text);
}

Test(words, one_that_sleeps_is_placed_too)
{
    char *text = judge_endless("1.3 attention_scores",
                               "#include <unistd.h>\n// BODY\n"
                               "    for (;;) { pause(); } // HERE\n",
                               "c", false);
    expect_place(text, "attention.c", "attention_scores");
    free(text);
}

Test(words, a_timeout_in_a_box_names_the_line)
{
    char reason[512];
    if (!box_available(".", reason, sizeof reason)) {
        cr_skip_test("no box: %s", reason);
    }
    char *text = judge_endless(
        "1.3 attention_scores",
        "    for (volatile size_t t = 0; t < T + 1; t *= 1) { scores[0] = 0; } // HERE\n"
        "    return LAB_OK;\n",
        "c", true);
    expect_place(text, "attention.c", "attention_scores");
    free(text);
}

Test(words, who_blocks_the_question_gets_the_message_alone)
{
    char *text = judge_endless(
        "1.3 attention_scores",
        "#include <signal.h>\n// BODY\n"
        "    signal(SIGXCPU, SIG_IGN);\n"
        "    for (volatile size_t t = 0; t < T + 1; t *= 1) { scores[0] = 0; } // HERE\n"
        "    return LAB_OK;\n",
        "c", false);
    expect_words(text, "does not return within 1 seconds");
    expect_words(text, "in the call attention_scores(T=");
    free(text);
}

// The function prints what the worker prints when the time has run out, with another line.
Test(words, a_forged_place_of_a_timeout_does_not_count)
{
    char *text = judge_endless(
        "1.3 attention_scores",
        "#include <stdio.h>\n// BODY\n"
        "    fprintf(stderr, \"\\n==the time has run out==\\n    #0 0x1 in attention_scores \"\n"
        "                    \"/x/01_simple_attention/attention.c:7\\n\");\n"
        "    for (volatile size_t t = 0; t < T + 1; t *= 1) { scores[0] = 0; } // HERE\n"
        "    return LAB_OK;\n",
        "c", false);
    expect_place(text, "attention.c", "attention_scores");
    expect_none(text, "attention.c:7 ");
    free(text);
}

// Larger calls alone wait for the failed one, so the first worker makes smaller ones before.
Test(words, one_that_tries_again_until_it_works_never_returns)
{
    write_function(
        "2.3 batched_linear",
        "    const size_t N = B * T;\n"
        "    lab_status status;\n"
        "    do {\n"
        "        status = matmul_nt(y, x, w, N, O, I);\n"
        "    } while (status != LAB_OK && N > 2);\n"
        "    for (size_t i = 0; status == LAB_OK && bias != NULL && i < N * O; i++) {\n"
        "        y[i] += bias[i % O];\n"
        "    }\n"
        "    return status;\n",
        "c");
    struct options options = options_for("2.3 batched_linear");
    options.seconds = 1;
    char *text = report_of(&options, WRONG);
    expect_words(text, "does not return if matmul_nt fails\n");
    expect_words(text, "it never returns instead of returning");
    free(text);
}

// The kernel's line, whether it computes, reads, or waits for other threads.
static void expect_kernel_place(const char *loop)
{
    char *body = grader_print("    __shared__ float tile[1];\n"
                              "    volatile size_t i = 0;\n"
                              "    if (threadIdx.x == 0) {\n"
                              "        tile[0] = scores_dev[0];\n"
                              "    }\n"
                              "    %s // HERE\n",
                              loop);
    char *text = judge_endless("1.4 softmax_rows_kernel", body, "cu", false);
    expect_words(text, "in the call softmax_rows_gpu(T=");
    expect_place(text, "attention.cu", "softmax_rows_kernel");
    end_words();
    free(text);
    free(body);
}

Test(words, a_timeout_on_the_simulated_gpu_names_the_kernels_line)
{
    expect_kernel_place("while (i < S + 1) { i *= 1; }");
    expect_kernel_place("while (i < S + 1) { i += scores_dev[0] != scores_dev[0]; }");
    expect_kernel_place("while (i < S + 1) { __syncthreads(); }");
    expect_kernel_place("while (i < S + 1) { __syncwarp(); }");
}
