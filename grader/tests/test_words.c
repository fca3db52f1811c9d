// test_words.c - what a student reads when an exercise fails: the call, its numbers, the place.
//
// Each test writes one function, as a student would, into a copy of the solutions
// (grader/tools/transplant.sh) and judges it. Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/grade.h"
#include "judge/memory.h"
#include "report/report.h"
#include "sandbox/box.h"

static char tree[64];

static void run(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

static void remove_tree(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    run(command);
}

TestSuite(words, .fini = remove_tree);

// A tree with one function replaced. where: "1.3 attention_scores"; body: its region, with lines
// for the top of the file in front of "// BODY", if there are any.
static void write_function(const char *where, const char *body, const char *suffix)
{
    strcpy(tree, "build/tmp/words.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(tree));
    char *path = grader_print("%s/snippet.%s", tree, suffix);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "// %s x\n%s", where, body);
    fclose(file);
    char *command =
        grader_print("grader/tools/transplant.sh %s %s && rm %s", path, tree, path);
    run(command);
    free(command);
    free(path);
}

static struct options options_for(const char *where)
{
    static char exercise[16];
    snprintf(exercise, sizeof exercise, "%.*s", (int)strcspn(where, " "), where);
    return (struct options){.source = tree, .root = ".", .seed = 1, .exercise = exercise};
}

// The headline, a newline, and the details of the exercise asked for. Caller frees.
static char *report_of(const struct options *options, enum verdict expected)
{
    struct grading grading = grade_run(options);
    const struct result *result =
        grade_find_on(&grading, options->exercise, options->gpu != CPU);
    char *details = report_text(&grading, result);
    char *text = grader_print("%s\n%s", result->headline, details);
    cr_expect_eq(result->verdict, expected, "%s is %s\n%s", result->exercise->id,
                 verdict_name(result->verdict), text);
    free(details);
    grade_free(&grading);
    return text;
}

static char *judge(const char *where, const char *body, enum verdict expected)
{
    write_function(where, body, "c");
    struct options options = options_for(where);
    return report_of(&options, expected);
}

static void expect_words(const char *text, const char *words)
{
    cr_expect_not_null(strstr(text, words), "no \"%s\" in\n%s", words, text);
}

static void expect_none(const char *text, const char *words)
{
    cr_expect_null(strstr(text, words), "\"%s\" in\n%s", words, text);
}

// ---- numbers ------------------------------------------------------------------------------

// The last row of a mask stays as it was: each of its bytes, not only every fourth.
Test(words, bytes_that_nobody_wrote_read_unwritten)
{
    char *text =
        judge("3.1 causal_mask",
              "#include <string.h>\n// BODY\n    for (size_t t = 0; t + 1 < T; t++) {\n"
              "        for (size_t s = 0; s < S; s++) {\n"
              "            mask[t * S + s] = s + T <= t + S;\n"
              "        }\n"
              "    }\n"
              "    if (T == 1 || S == 1) {\n"
              "        memset(mask, 1, T * S);\n"
              "        mask[0] = T <= S;\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "leaves parts of mask unwritten");
    expect_words(text, "unwritten* unwritten*");
    expect_none(text, "222");
    expect_none(text, "173");
    free(text);
}

Test(words, a_size_that_nobody_wrote_reads_unwritten)
{
    char *text = judge("5.8 block_parameter_count", "    return LAB_OK;\n", WRONG);
    expect_words(text, "leaves parts of count unwritten");
    expect_words(text, "count[0] was never written");
    free(text);
}

// One unit in the fifth decimal and less: with four, both sides would read alike.
Test(words, numbers_that_differ_do_not_look_alike)
{
    char *text = judge("5.5 residual_add",
                       "    for (size_t i = 0; i < N; i++) {\n"
                       "        y[i] = (x[i] + branch[i]) * 1.00001f;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    for (const char *star = text; (star = strchr(star, '*')) != NULL; star++) {
        const char *line = star, *bar;
        while (line > text && line[-1] != '\n') {
            line--;
        }
        double row, expected, got;
        bar = strchr(line, '|');
        cr_assert_not_null(bar);
        cr_assert_eq(sscanf(line, "%lf | %lf", &row, &expected), 2, "%.80s", line);
        cr_assert_eq(sscanf(strchr(bar + 1, '|'), "| %lf", &got), 1, "%.80s", line);
        cr_expect_neq(expected, got, "%.80s", line);
    }
    expect_words(text, "*");
    free(text);
}

Test(words, an_input_of_nine_numbers_is_shown)
{
    char *text = judge("1.4 softmax_rows",
                       "    for (size_t i = 0; i < T * S; i++) {\n"
                       "        weights[i] = S == 9 ? 2 : 3;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "9 numbers, too many to show");
    free(text);
}

// ---- what is printed ----------------------------------------------------------------------

#define RIGHT_SCORES(inner)                                                              \
    "#include <stdio.h>\n// BODY\n"                                                      \
    "    float scale = 1.0f / sqrtf((float)d);\n"                                        \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            float sum = 0;\n"                                                       \
    "            for (size_t i = 0; i < d; i++) {\n"                                     \
    "                sum += q[t * d + i] * k[s * d + i];\n"                              \
    "            }\n"                                                                    \
    "            " inner "\n"                                                            \
    "            scores[t * S + s] = sum * scale;\n"                                     \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, printing_in_every_step_fails_no_right_code)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("printf(\"score %zu %zu of a call: %f\\n\", t, s, "
                                    "(double)sum);"),
                       PASS);
    expect_words(text, "your code printed in this call:\n    | score 0 0 of a call: ");
    free(text);
}

Test(words, lines_that_are_not_shown_are_counted)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("static int lines; for (; lines < 48132; lines++) { "
                                    "printf(\"line %d\\n\", lines); }"),
                       PASS);
    expect_words(text, "    | line 0\n");
    expect_words(text, "    | line 19\n    | … 48,112 more lines were printed, "
                       "in this call and later ones\n");
    free(text);
}

// The sanitizer's report comes behind a megabyte of the student's own.
Test(words, a_crash_after_much_printing_is_still_explained)
{
    char *text =
        judge("1.3 attention_scores",
              RIGHT_SCORES("for (int i = 0; i < 300000 / (int)(T * S); i++) { "
                           "puts(\"more\"); } if (T * S > 2) { scores[T * S] = sum; }"),
              CRASH);
    expect_words(text, "past the end of scores");
    expect_words(text, "attention.c:");
    free(text);
}

// ---- two things at once -------------------------------------------------------------------

// A leading dimension of N where K belongs: small calls give wrong numbers, or OpenBLAS refuses
// them; and a large call writes outside.
Test(words, a_small_wrong_call_is_shown_before_a_large_crash)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N, (int)K, 1, a, N < K ? (int)N : (int)K, b, (int)N, 0, out, "
              "(int)N);\n"
              "    out[M > 500 ? M * N : 0] += 1;\n"
              "    return LAB_OK;\n",
              WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "in a later call it crashes: ");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    expect_words(crash, "past the end of out (M N)");
    expect_words(crash, "in the call matmul(M=521");
    expect_words(crash, "batching.c:");
    free(text);
}

// In the call that is shown it printed nothing.
Test(words, what_a_library_says_of_another_call_is_shown)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N, (int)K, 1, a, M > 4 && N < K ? (int)N : (int)K, b, (int)N, "
              "0, out, (int)N);\n"
              "    out[0] += M * N > 1;\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "SGEMM: parameter 10 has an illegal value");
    free(text);
}

// The guard zones tell of it when all calls have come back.
// I and O in each other's place, and no bias. The first call has one output, which is that of the
// known mistake "no bias"; what is really wrong shows in the call that crashes.
Test(words, one_number_before_a_crash_names_no_mistake)
{
    char *text = judge("1.2 linear",
                       "    (void)bias;\n"
                       "    LAB_TRY(matmul_nt(y, x, w, T, I, O));\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "in a later call it crashes: ");
    expect_none(text, "diagnosis:");
    free(text);
}

Test(words, a_small_wrong_call_is_shown_before_a_large_call_that_writes_outside)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N,\n                (int)K, 2, a, (int)K, b, (int)N, 0, out, "
              "(int)N + (M * N > 60000));\n    return LAB_OK;\n",
              WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "in a later call it crashes: writes outside of out");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    free(text);
}

Test(words, a_small_crash_stays_the_first_thing_said)
{
    char *text = judge("1.4 softmax_rows",
                       "    for (size_t i = 0; i <= T * S; i++) {\n"
                       "        weights[i] = 3;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       CRASH);
    expect_none(text, "first difference");
    free(text);
}

// ---- what the compiler warns of -----------------------------------------------------------

static char *terminal_of(const struct options *options)
{
    struct grading grading = grade_run(options);
    struct text text;
    text_begin(&text);
    report_terminal(text.file, &grading, false);
    grade_free(&grading);
    return text_end(&text);
}

// Two functions with warnings, one of which is judged; in it the one that explains most comes
// first, although the compiler says it last.
Test(words, warnings_are_of_the_judged_function_and_the_rest_is_counted)
{
    write_function("1.3 attention_scores",
                   "    int unused; float sum, *end = scores + T * S;\n"
                   "    for (int t = 0; t < T; t++) {\n"
                   "        for (size_t s = 0; s < S; s++) {\n"
                   "            for (size_t i = 0; i < d; i++) {\n"
                   "                sum += q[t * d + i] * k[s * d + i];\n"
                   "            }\n"
                   "            scores[t * S + s] = sum / sqrtf((float)d);\n"
                   "        }\n"
                   "    }\n"
                   "    return LAB_OK;\n",
                   "c");
    char *snippet = grader_print("%s/two.c", tree);
    FILE *file = fopen(snippet, "w");
    fputs("// 1.4 softmax_rows x\n    int elsewhere;\n    return LAB_OK;\n", file);
    fclose(file);
    char *command = grader_print("grader/tools/transplant.sh %s %s", snippet, tree);
    run(command);
    struct options options = options_for("1.3");
    char *text = terminal_of(&options);
    const char *first = strstr(text, ": the compiler warns\n");
    cr_assert_not_null(first, "%s", text);
    first = strchr(first, '\n') + 1;
    cr_expect_not_null(memmem(first, strcspn(first, "\n"), "uninitialized", 13), "%s",
                       text);
    expect_words(text, "different signedness");
    expect_none(text, "elsewhere");
    char *rest = grader_print("  and 2 more warnings: make check LAB=1 SRC=%s WARNINGS=1 "
                              "shows them all\n",
                              tree);
    expect_words(text, rest);
    free(text);
    options.warnings = true;
    text = terminal_of(&options);
    expect_words(text, "elsewhere");
    expect_none(text, "more warning");
    free(text);
    free(rest);
    free(snippet);
    free(command);
}

// ---- out of time --------------------------------------------------------------------------

// Judges a function that never returns, whose line 3 of the loop is the place.
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

// "  at ...attention.c:LINE in function", where the line of the file holds "// HERE".
static void expect_place(const char *text, const char *file, const char *function)
{
    char *command =
        grader_print("grep -n HERE %s/01_simple_attention/%s | cut -d: -f1", tree, file);
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

// The kernel's line, whether it computes, reads, or waits for the others. Time may run out between
// two threads, where no way leads back to the kernel; then the report has no line, and the function
// is judged again.
static void expect_kernel_place(const char *loop)
{
    enum { MOST_TRIES = 10 };
    char *body = grader_print("    __shared__ float tile[1];\n"
                              "    volatile size_t i = 0;\n"
                              "    if (threadIdx.x == 0) {\n"
                              "        tile[0] = scores_dev[0];\n"
                              "    }\n"
                              "    %s // HERE\n",
                              loop);
    char *text = judge_endless("1.4 softmax_rows_kernel", body, "cu", false);
    for (int i = 1; i < MOST_TRIES && strstr(text, "attention.cu:") == NULL; i++) {
        expect_words(text, "in the call softmax_rows_gpu(T=");
        remove_tree();
        free(text);
        text = judge_endless("1.4 softmax_rows_kernel", body, "cu", false);
    }
    expect_words(text, "in the call softmax_rows_gpu(T=");
    expect_place(text, "attention.cu", "softmax_rows_kernel");
    remove_tree();
    free(text);
    free(body);
}

Test(words, a_timeout_on_the_simulated_gpu_names_the_kernels_line)
{
    expect_kernel_place("while (i < S + 1) { i *= 1; }");
    expect_kernel_place("while (i < S + 1) { i += scores_dev[0] != scores_dev[0]; }");
    expect_kernel_place("while (i < S + 1) { __syncthreads(); }");
}

// ---- steps --------------------------------------------------------------------------------

// Scores and what follows, with the steps of the exercise.
#define BATCHED_ATTENTION(scores_step, in_between)                                       \
    "    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));\n"                        \
    "    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));\n"                        \
    "    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));\n"                        \
    "    for (size_t b = 0; b < B; b++) {\n"                                             \
    "        for (size_t t = 0; t < T; t++) {\n"                                         \
    "            for (size_t s = 0; s < T; s++) {\n"                                     \
    "                float sum = 0;\n"                                                   \
    "                for (size_t c = 0; c < C; c++) {\n"                                 \
    "                    sum += q[(b * T + t) * C + c] * " scores_step ";\n"             \
    "                }\n"                                                                \
    "                scores[(b * T + t) * T + s] = sum / sqrtf((float)C);\n"             \
    "            }\n"                                                                    \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    " in_between "\n"                                                               \
    "    return batched_matmul(out, weights, v, B, T, C, T);\n"
#define SOFTMAX "LAB_TRY(batched_softmax(weights, scores, B, T, T));"

Test(words, the_step_that_is_off_is_named)
{
    char *text =
        judge("2.5 batched_attention",
              "#include <math.h>\n// BODY\n" BATCHED_ATTENTION(
                  "k[(b * T + s) * C + c] * (b > 0 && s == 0 ? 1.5f : 1)", SOFTMAX),
              WRONG);
    expect_words(text, "stages: q ✓ k ✓ v ✓ scores wrong");
    expect_words(text, ", first at scores[1][0][0] = ");
    free(text);
}

Test(words, a_step_behind_right_ones_is_named)
{
    char *text = judge("2.5 batched_attention",
                       "#include <math.h>\n// BODY\n" BATCHED_ATTENTION(
                           "k[(b * T + s) * C + c]",
                           SOFTMAX " for (size_t i = 0; i < B * T * T; i++) { "
                                   "weights[i] = weights[i] * 0.9f + 0.01f; }"),
                       WRONG);
    expect_words(text, "stages: q ✓ k ✓ v ✓ scores ✓ weights wrong");
    free(text);
}

// The weights are made in place of the scores, and only then copied.
Test(words, a_workspace_that_holds_something_else_is_not_called_wrong)
{
    char *text =
        judge("2.5 batched_attention",
              "#include <math.h>\n#include <string.h>\n// BODY\n" BATCHED_ATTENTION(
                  "k[(b * T + s) * C + c]",
                  SOFTMAX " for (size_t i = 0; i < B * T * T; i++) { "
                          "weights[i] = weights[i] * 0.9f + 0.01f; } "
                          "memcpy(scores, weights, B * T * T * sizeof *scores);"),
              WRONG);
    expect_none(text, "scores wrong");
    expect_none(text, "scores may be wrong");
    expect_words(text, "stages: q ✓ k ✓ v ✓ weights may be wrong");
    free(text);
}

// A mask over the scores in place, and a factor that comes later, are no faults either.
Test(words, a_right_step_in_another_form_is_not_called_wrong)
{
    char *text = judge("2.5 batched_attention",
                       "#include <math.h>\n// BODY\n" BATCHED_ATTENTION(
                           "k[(b * T + s) * C + c]", SOFTMAX
                           " for (size_t i = 0; i < B * T * T; i++) { "
                           "weights[i] = weights[i] * 0.9f + 0.01f; scores[i] *= 3; }"),
                       WRONG);
    expect_none(text, "scores wrong");
    expect_words(text, "scores may be wrong");
    free(text);
}
