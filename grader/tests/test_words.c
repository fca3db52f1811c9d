// test_words.c - the report that a student reads when an exercise fails: the call, its numbers,
// the line.
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

#include "base/memory.h"
#include "base/wrapped.h"
#include "build/backend.h"
#include "exercises/exercise.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "report/fold.h"
#include "report/terminal.h"
#include "report/text.h"
#include "sandbox/available.h"

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

// Replaces a function of the tree. where: "1.3 attention_scores"; body: the content of its
// region, after lines for the top of the file and a line "// BODY", if there are any.
static void replace_function(const char *where, const char *body, const char *suffix)
{
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

// A new tree with one function replaced.
static void write_function(const char *where, const char *body, const char *suffix)
{
    strcpy(tree, "build/tmp/words.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(tree));
    replace_function(where, body, suffix);
}

static struct options options_for(const char *where)
{
    static char exercise[16];
    snprintf(exercise, sizeof exercise, "%.*s", (int)strcspn(where, " "), where);
    return (struct options){.source = tree, .root = ".", .seed = 1, .exercise = exercise};
}

// The headline, a newline, and the details of that exercise. The caller frees it.
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

// The function does not write the last row of a mask. The report must show each of its bytes as
// unwritten, not only every fourth.
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
    expect_words(text, "parts of mask are not written");
    expect_words(text, "unwritten* unwritten*");
    expect_none(text, "222");
    expect_none(text, "173");
    free(text);
}

Test(words, a_size_that_nobody_wrote_reads_unwritten)
{
    char *text = judge("5.8 block_parameter_count", "    return LAB_OK;\n", WRONG);
    expect_words(text, "count is not written");
    expect_words(text, "count[0] was never written");
    free(text);
}

// A difference of one unit in the fifth decimal or less: with four decimals, both sides would
// look equal.
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

// 9.4 hands a NULL mask to masked_softmax, which here is the workbook's own.
static const char null_mask[] =
    "    for (size_t i = 0; i < B * NH; i++) {\n"
    "        LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,\n"
    "                               mask + i / NH * T * S, T, S));\n"
    "    }\n"
    "    (void)out, (void)q, (void)k, (void)v;\n"
    "    return LAB_OK;\n";

Test(words, a_crash_in_a_function_that_yours_calls_names_both_and_the_line_of_the_call)
{
    char *text = judge("9.4 grouped_query_attention", null_mask, CRASH);
    expect_words(text, "dereferences mask, which is NULL in this call");
    expect_words(text, "  in masked_softmax of lab 3, called\n  at ");
    expect_words(text, " in grouped_query_attention\n");
    expect_none(text, "causal.c");
    expect_none(text, "0x");
    free(text);
}

// In evaluation, dropout that is always told to train reads uniforms, which are NULL. Often positions
// are NULL in the same call, and nothing shows which of them was read.
static const char reads_uniforms[] =
    "    (void)z;\n"
    "    return params->position_table == NULL && uniforms[0] > 2.0f ? LAB_TODO : LAB_OK;\n";

Test(words, of_several_arguments_that_are_NULL_none_is_blamed_alone)
{
    char *text = judge("6.11 model_forward", reads_uniforms, CRASH);
    expect_words(text,
                 "dereferences a NULL pointer; these arguments are NULL in this call: ");
    expect_words(text, "params.position_table");
    expect_words(text, "uniforms");
    expect_none(text, "dereferences params");
    free(text);
}

// The code of a stranger could make such a trace say anything.
Test(words, a_stranger_is_not_told_where_the_workbooks_function_crashed)
{
    write_function("9.4 grouped_query_attention", null_mask, "c");
    struct options options = options_for("9.4");
    options.strangers = true;
    char *text = report_of(&options, CRASH);
    expect_words(text, "does not return from every call");
    expect_none(text, "masked_softmax");
    expect_none(text, "cache.c");
    free(text);
}

// batched_linear with a number of threads, each of which computes some of the rows. None begins before
// all have been started, so all are there at the same time.
#define THREADED(number)                                                                 \
    "#include <pthread.h>\n"                                                             \
    "static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;\n"                         \
    "struct part { float *y; const float *x, *w, *bias; size_t from, to, I, O; };\n"     \
    "static void *run_part(void *argument)\n"                                            \
    "{\n"                                                                                \
    "    struct part *p = argument;\n"                                                   \
    "    pthread_mutex_lock(&gate);\n"                                                   \
    "    pthread_mutex_unlock(&gate);\n"                                                 \
    "    for (size_t i = p->from * p->O; i < p->to * p->O; i++) {\n"                     \
    "        double sum = p->bias == NULL ? 0.0 : (double)p->bias[i % p->O];\n"          \
    "        for (size_t c = 0; c < p->I; c++) {\n"                                      \
    "            sum += (double)p->x[i / p->O * p->I + c] *\n"                           \
    "                   (double)p->w[i % p->O * p->I + c];\n"                            \
    "        }\n"                                                                        \
    "        p->y[i] = (float)sum;\n"                                                    \
    "    }\n"                                                                            \
    "    return NULL;\n"                                                                 \
    "}\n"                                                                                \
    "// BODY\n"                                                                          \
    "    enum { N = " number " };\n"                                                     \
    "    struct part parts[N];\n"                                                        \
    "    pthread_t threads[N];\n"                                                        \
    "    size_t started = 0;\n"                                                          \
    "    pthread_mutex_lock(&gate);\n"                                                   \
    "    for (size_t n = 0; n < N; n++) {\n"                                             \
    "        parts[n] = (struct part){y, x, w, bias, B * T * n / N,\n"                   \
    "                                 B * T * (n + 1) / N, I, O};\n"                     \
    "        if (pthread_create(&threads[n], NULL, run_part, &parts[n]) != 0) {\n"       \
    "            break;\n"                                                               \
    "        }\n"                                                                        \
    "        started++;\n"                                                               \
    "    }\n"                                                                            \
    "    pthread_mutex_unlock(&gate);\n"                                                 \
    "    for (size_t n = 0; n < started; n++) {\n"                                       \
    "        pthread_join(threads[n], NULL);\n"                                          \
    "    }\n"                                                                            \
    "    return started == N ? LAB_OK : LAB_ENOMEM;\n"

// docs/student.md allows threads.
Test(words, right_code_with_threads_passes)
{
    free(judge("2.3 batched_linear", THREADED("12"), PASS));
    struct options options = options_for("2.3 batched_linear");
    options.untrusted = true;
    char reason[128];
    if (box_available(".", reason, sizeof reason)) {
        free(report_of(&options, PASS));
    }
}

Test(words, code_with_too_many_threads_for_a_box_is_told_the_limit)
{
    char reason[128];
    if (!box_available(".", reason, sizeof reason)) {
        cr_skip_test("%s", reason);
    }
    write_function("2.3 batched_linear", THREADED("64"), "c");
    struct options options = options_for("2.3 batched_linear");
    options.untrusted = true;
    char *text = report_of(&options, WRONG);
    expect_words(text, "returns LAB_ENOMEM (4)");
    expect_words(text, "Your code starts threads.");
    free(text);
}

// The functions with the most inputs. A student needs the failing call on one screen.
Test(words, a_call_with_many_inputs_fits_on_a_screen_and_all_numbers_can_be_had)
{
    enum { SCREEN = 40 };
    static const char *const functions[] = {"6.11 model_forward", "8.7 language_forward",
                                            "8.8 language_backward", "9.3 decode_step"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char *text = judge(functions[i], "    return LAB_OK;\n", WRONG);
        size_t lines = 0;
        for (const char *c = text; *c != '\0'; c++) {
            lines += *c == '\n';
        }
        cr_expect_leq(lines, SCREEN, "%zu lines: %s", lines, text);
        char *command =
            grader_print("  all inputs: make check EX=%.*s SRC=%s NUMBERS=1\n",
                         (int)strcspn(functions[i], " "), functions[i], tree);
        expect_words(text, command);
        expect_words(text, "  tokens (");
        free(command);
        free(text);
        struct options options = options_for(functions[i]);
        options.numbers = true;
        text = report_of(&options, WRONG);
        expect_none(text, "not shown");
        expect_none(text, "too many to show");
        expect_words(text, "  params.token_table (V C)\n       | ");
        free(text);
        remove_tree();
    }
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

// memcpy and memset got a number of elements where they need a number of bytes.
Test(words, elements_taken_for_bytes_are_named)
{
    char *text = judge("4.2 split_qkv",
                       "    for (size_t n = 0; n < B * T; n++) {\n"
                       "        memcpy(q + n * C, qkv + n * 3 * C, C);\n"
                       "        memcpy(k + n * C, qkv + n * 3 * C + C, C);\n"
                       "        memcpy(v + n * C, qkv + n * 3 * C + 2 * C, C);\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "diagnosis: only some of the bytes of a number are set");
    expect_none(text, "0/0");
    free(text);
    remove_tree();
    text = judge("1.1 matmul",
                 "#include <string.h>\n// BODY\n    memset(out, 0, M * N);\n"
                 "    for (size_t i = 0; i < M * N * K; i++) {\n"
                 "        const size_t m = i / K / N, n = i / K % N, k = i % K;\n"
                 "        out[m * N + n] += a[m * K + k] * b[k * N + n];\n"
                 "    }\n"
                 "    return LAB_OK;\n",
                 WRONG);
    expect_words(text, "diagnosis: only some of the bytes of a number are set");
    free(text);
}

// Where a NaN comes from: BLAS read past the end of a (each sequence's a is taken for M x N), a step
// was left out, or 0 was divided by 0.
Test(words, a_report_says_where_a_nan_comes_from)
{
    char *text =
        judge("2.2 batched_matmul_nt",
              "    for (size_t i = 0; i < B; i++) {\n"
              "        LAB_TRY(matmul_nt(out + i * M * N, a + i * M * N, b + i * M * N, "
              "M, N, K));\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "are NaN: a library call read beyond the end of a tensor");
    free(text);
    remove_tree();
    text = judge(
        "5.3 mlp",
        "    LAB_TRY(batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H));\n"
        "    LAB_TRY(gelu(hidden, hidden, N * H));\n"
        "    LAB_TRY(batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, "
        "C));\n"
        "    memcpy(activated, hidden, N * H * sizeof *hidden);\n"
        "    return LAB_OK;\n",
        WRONG);
    expect_words(
        text,
        "is NaN: an element of an output or a workspace was read before it was set");
    free(text);
    remove_tree();
    text = judge("1.4 softmax_rows",
                 "    for (size_t t = 0; t < T; t++) {\n"
                 "        float sum = 0.0f;\n"
                 "        for (size_t s = 0; s < S; s++) {\n"
                 "            weights[t * S + s] = expf(scores[t * S + s] - 2000.0f);\n"
                 "            sum += weights[t * S + s];\n"
                 "        }\n"
                 "        for (size_t s = 0; s < S; s++) {\n"
                 "            weights[t * S + s] /= sum;\n"
                 "        }\n"
                 "    }\n"
                 "    return LAB_OK;\n",
                 WRONG);
    expect_words(text, "look for 0/0");
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
    expect_words(text,
                 "your code printed in its first call:\n    | score 0 0 of a call: ");
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

// The sanitizer's report comes after a megabyte of the student's output.
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

// A stack trace names the student's lines. To name the sanitizers' own, too, would take several times
// as long as everything else (worker/open.c).
Test(words, a_stack_trace_names_the_student_s_lines_only)
{
    char *text = judge("1.3 attention_scores",
                       "void __sanitizer_print_stack_trace(void);\n" RIGHT_SCORES(
                           "static int sums; if (sums++ == 0) { "
                           "__sanitizer_print_stack_trace(); }"),
                       PASS);
    expect_words(text, "in attention_scores ");
    expect_words(text, "attention.c:");
    expect_none(text, "in __sanitizer_print_stack_trace");
    free(text);
}

// The value that is returned is no lab_status, as if a return statement were missing.
Test(words, a_status_that_is_none_asks_for_the_return)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("if (T > 1) { return (lab_status)770; }"), WRONG);
    expect_words(
        text,
        "returns 770, which is not a lab_status, instead of LAB_OK: does every path "
        "through the function end in a return?");
    free(text);
}

// A size is refused that the contract allows: the call's sizes and inputs, and the contract's
// sentences about the status.
Test(words, a_status_without_a_reason_shows_the_call_and_the_clause)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("if (d == 1) { return LAB_ESHAPE; }"), WRONG);
    expect_words(text, "returns LAB_ESHAPE (2) instead of LAB_OK");
    expect_words(text, "attention_scores(T=2, S=3, d=1)");
    expect_words(text, "  q (T d)\n       |");
    expect_words(
        text, "All arguments of this call are allowed. Is this the status of a function "
              "that yours calls?\n  The header: \"If a size is 0,");
    free(text);
}

// The largest offset that is not allowed is accepted.
Test(words, a_status_that_is_due_comes_with_its_clause)
{
    char *text = judge("8.2 shifted_batch",
                       "    for (size_t b = 0; b < B; b++) {\n"
                       "        if (offsets[b] > N - T) {\n"
                       "            return LAB_EVALUE;\n"
                       "        }\n"
                       "    }\n"
                       "    for (size_t b = 0; b < B; b++) {\n"
                       "        for (size_t t = 0; t < T; t++) {\n"
                       "            const size_t i = offsets[b] + t;\n"
                       "            x[b * T + t] = stream[i];\n"
                       "            y[b * T + t] = stream[i + 1 < N ? i + 1 : i];\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "returns LAB_OK (0) instead of LAB_EVALUE");
    expect_words(text, "  offsets (B)\n       |");
    expect_words(text,
                 "The function must refuse this call. The header: \"LAB_EVALUE if an");
    free(text);
}

// A view's data is a pointer. The report compares it, not the numbers behind it.
Test(words, a_view_of_other_numbers_says_which_they_should_be)
{
    const char *body = "    struct view view = *in;\n"
                       "    view.size[axis_a] = in->size[axis_b];\n"
                       "    view.size[axis_b] = in->size[axis_a];\n"
                       "    view.stride[axis_a] = in->stride[axis_b];\n"
                       "    view.stride[axis_b] = in->stride[axis_a];\n"
                       "    view.data = %s;\n"
                       "    *out = view;\n"
                       "    return LAB_OK;\n";
    char *other = grader_print(body, "in->data + 1"),
         *none = grader_print(body, "out->data");
    char *text = judge("4.1 view_transpose", other, WRONG);
    expect_words(text, "out.data is not in.data\n");
    expect_words(text, "out.data == in.data is false, but must be true\n");
    free(text);
    text = judge("4.1 view_transpose", none, WRONG);
    expect_words(text, "out.data is not written\n");
    expect_words(text, "out.data was never written\n");
    free(text);
    free(other);
    free(none);
}

// The row behind the last one is read: NaN in small calls, a crash in the smallest buffer. Another
// mistake that gives NaN there is not claimed.
Test(words, nan_alone_is_no_evidence_of_a_mistake)
{
    char *text = judge("9.3 prefill",
                       "    const size_t C = shape->C;\n"
                       "    for (size_t i = 0; i < n; i++) {\n"
                       "        z->sequences[i] = b;\n"
                       "        z->positions[i] = cache->lengths[b] + i;\n"
                       "    }\n"
                       "    LAB_TRY(all_blocks(cache, z, params, tokens, n, shape));\n"
                       "    LAB_TRY(rmsnorm(z->normed, z->rrms, z->stream + n * C, "
                       "params->norm, 1, C));\n"
                       "    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, "
                       "1, C, shape->V));\n"
                       "    cache->lengths[b] += n;\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "wrong values in logits\n");
    expect_words(text, "in a later call it crashes: reads z.stream[6]");
    expect_none(text, "diagnosis:");
    free(text);
}

// ---- crashes ------------------------------------------------------------------------------

Test(words, a_negative_number_of_bytes_is_called_so)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("void *memset(void *, int, size_t); "
                                    "memset(scores, 0, (T - S - 1) * sizeof *scores);"),
                       CRASH);
    expect_words(text,
                 "asks memset, memcpy or memmove for a negative number of bytes: is "
                 "it a difference that goes below 0?\n");
    free(text);
}

Test(words, a_copy_onto_itself_is_called_so)
{
    char *text = judge("2.1 matmul",
                       "#include <string.h>\n// BODY\n"
                       "    static float row[64];\n"
                       "    memcpy(row + (M > 0), row, 32 * sizeof *row);\n"
                       "    memset(out, 0, M * N * sizeof *out);\n"
                       "    return a[0] == b[0] && K == 0 ? LAB_TODO : LAB_OK;\n",
                       CRASH);
    expect_words(text, "calls memcpy with two places that overlap; memmove may\n");
    free(text);
}

// A function of a lab that this one is not linked with. The linker names the first file of the lab.
Test(words, a_function_that_is_nowhere_is_named_with_its_caller)
{
    char *text = judge("6.8 layernorm_backward",
                       "#include \"common/status.h\"\n"
                       "lab_status linear(void);\n"
                       "// BODY\n"
                       "    (void)dgain, (void)dbias, (void)dy, (void)x, (void)mean, "
                       "(void)rstd, (void)gain, (void)dx;\n"
                       "    return linear();\n",
                       NOCOMPILE);
    expect_words(text,
                 "error: layernorm_backward calls linear, which is in none of the "
                 "files of this program\nIt is a function of lab 1, which is no part "
                 "of this program: copy its body into a static function of yours.\n");
    expect_none(text, "train.c");
    free(text);
}

// ---- two mistakes at once -----------------------------------------------------------------

// A leading dimension of N instead of K: small calls give wrong numbers, or OpenBLAS rejects
// them, and a large call writes outside.
Test(words, a_small_wrong_call_is_shown_before_a_large_crash)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N, (int)K, 1, a, N < K ? (int)N : (int)K, b, (int)N, 0, "
              "out, (int)N);\n"
              "    out[M > 500 ? M * N : 0] += 1;\n"
              "    return LAB_OK;\n",
              WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "in a later call it crashes: ");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    expect_words(crash, ", which would be [521][0], past the end of out (M N)");
    expect_words(crash, "in the call matmul(M=521");
    expect_words(crash, "batching.c:");
    free(text);
}

// The reported call printed nothing, although others did.
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

// I and O are swapped, and the bias is missing. The first call has one output, which agrees
// with the known mistake "no bias"; the real mistake shows in the call that crashes.
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

// The guard zones show the write after all calls have returned.
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

#define CRASHES_WHERE(condition)                                                         \
    "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, "        \
    "(int)K, 1, a, (int)K, b, (int)N, 0, out, (int)N);\n"                                \
    "    out[" condition " ? M * N : 0] += 0;\n"                                         \
    "    return LAB_OK;\n"
#define TWO_TIMES                                                                        \
    "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, "  \
    "2, a, (int)K, b, (int)K, 0, out, (int)N);\n"                                        \
    "    return LAB_OK;\n"

// The crash ends the worker before it reaches the second function.
Test(words, a_small_wrong_call_of_one_function_is_shown_before_a_large_crash_of_another)
{
    write_function("2.1 matmul", CRASHES_WHERE("M > 500"), "c");
    replace_function("2.1 matmul_nt", TWO_TIMES, "c");
    struct options options = options_for("2.1");
    char *text = report_of(&options, WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "matmul crashes: ");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    expect_words(text, "matmul_nt(M=");
    expect_words(crash, "in the call matmul(M=521");
    free(text);
}

Test(words, a_small_crash_of_one_function_comes_before_wrong_numbers_of_another)
{
    write_function("2.1 matmul", CRASHES_WHERE("1"), "c");
    replace_function("2.1 matmul_nt", TWO_TIMES, "c");
    struct options options = options_for("2.1");
    char *text = report_of(&options, CRASH);
    expect_none(text, "first difference: out[");
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

// ---- compiler warnings --------------------------------------------------------------------

static char *terminal_of(const struct options *options)
{
    struct grading grading = grade_run(options);
    struct text text;
    text_begin(&text);
    report_terminal(text.file, &grading, false);
    grade_free(&grading);
    return text_end(&text);
}

// Two functions with warnings, one of which is judged. Its most helpful warning comes first,
// although the compiler prints it last.
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

// A narrow terminal does not break a command, so that it can be copied.
Test(words, a_command_stays_on_one_line)
{
    static const struct {
        const char *line, *folded;
    } rows[] = {
        {"next: fix 1.1 matmul (gpu) (hint: make hint EX=1.1 GPU=1)\n",
         "next: fix 1.1 matmul (gpu) (hint:\n  make hint EX=1.1 GPU=1)\n"},
        {"  in the call matmul(M=1, N=2, K=1), to check by hand\n",
         "  in the call matmul(M=1, N=2, K=1), to\n    check by hand\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text;
        text_begin(&text);
        report_fold(text.file, rows[i].line, 40);
        char *folded = text_end(&text);
        cr_expect_str_eq(folded, rows[i].folded);
        free(folded);
    }
}

// The steps of a hint: what does not fit in a line stays inside its step.
Test(words, a_wrapped_line_keeps_its_indentation)
{
    struct text text;
    text_begin(&text);
    print_wrapped(text.file, "  ",
                  "for each row n, one after the other:\n"
                  "    max[n] = the largest of its scores\n"
                  "then the sum",
                  30);
    char *wrapped = text_end(&text);
    cr_expect_str_eq(wrapped, "  for each row n, one after\n"
                              "  the other:\n"
                              "      max[n] = the largest of\n"
                              "          its scores\n"
                              "  then the sum\n");
    free(wrapped);
}

// Steps inside a step are indented by four. The least indented one after the first line tells.
static void expect_steps(const char *id, const char *hint)
{
    size_t least = hint == NULL || strchr(hint, '\n') == NULL ? 0 : SIZE_MAX;
    for (const char *line = hint; least > 0 && (line = strchr(line, '\n')) != NULL;) {
        size_t blanks = strspn(++line, " ");
        least = blanks < least ? blanks : least;
    }
    cr_expect(least == 0 || least == 4, "%s: a hint's steps begin with %zu blanks", id,
              least);
}

// The last hint is steps, one below the other, unless it is a single short one.
static void expect_last_hint(const char *id, const char *hint)
{
    cr_expect(hint == NULL || strchr(hint, '\n') != NULL || strlen(hint) < 90,
              "%s: the last hint has no steps: %s", id, hint);
}

Test(words, the_steps_of_a_hint_show_what_is_inside_what)
{
    for (const struct lab_place *place = lab_places; place->lab != NULL; place++) {
        for (const struct exercise *const *each = place->lab->exercises; *each != NULL;
             each++) {
            for (int level = 0; level < HINT_LEVELS; level++) {
                expect_steps((*each)->id, (*each)->hints[level]);
                expect_steps((*each)->id, (*each)->gpu_hints[level]);
            }
            expect_last_hint((*each)->id, (*each)->hints[HINT_LEVELS - 1]);
            expect_last_hint((*each)->id, (*each)->gpu_hints[HINT_LEVELS - 1]);
        }
    }
}

// ---- nothing false ------------------------------------------------------------------------

// If b_k is NULL, b_q is left out too. The failing calls have T = S = 1: for these, "T for S"
// would access memory outside its arguments, so that mistake has no numbers to compare.
Test(words, a_mistake_without_numbers_is_not_named)
{
    char *text = judge(
        "4.7 cross_attention",
        "    const struct cross_attention_buffers *z = buffers;\n"
        "    const float *b_q = params->b_k == NULL ? NULL : params->b_q;\n"
        "    LAB_TRY(batched_linear(z->q, x, params->w_q, b_q, B, T, C, C));\n"
        "    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));\n"
        "    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));\n"
        "    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));\n"
        "    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));\n"
        "    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));\n"
        "    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, "
        "z->q_heads, z->k_heads, z->v_heads, mask, B, NH, T, S, C / NH));\n"
        "    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));\n"
        "    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);\n",
        WRONG);
    expect_none(text, "diagnosis:");
    expect_none(text, "it may be a variant of");
    free(text);
}

// If a row has equal numbers, its rstd and its variance are 0.
Test(words, zeros_name_no_mistake)
{
    char *text = judge("5.1 layernorm",
                       "    for (size_t n = 0; n < N; n++) {\n"
                       "        double sum = 0.0, squares = 0.0;\n"
                       "        for (size_t c = 0; c < C; c++) {\n"
                       "            sum += x[n * C + c];\n"
                       "        }\n"
                       "        mean[n] = (float)(sum / (double)C);\n"
                       "        for (size_t c = 0; c < C; c++) {\n"
                       "            const double distance = x[n * C + c] - mean[n];\n"
                       "            squares += distance * distance;\n"
                       "        }\n"
                       "        rstd[n] = squares == 0.0 ? 0.0f : "
                       "(float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));\n"
                       "        for (size_t c = 0; c < C; c++) {\n"
                       "            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * "
                       "gain[c] + bias[c];\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "diagnosis:");
    free(text);
}

// A wrong answer of yes or no can only be the other one, so every mistake that fails there gives
// it. Here the first axis is never compared; the answer is not always yes.
Test(words, a_wrong_yes_names_no_mistake)
{
    char *text = judge("4.1 view_is_contiguous",
                       "    size_t stride = 1;\n"
                       "    *answer = true;\n"
                       "    for (size_t a = in->axes - 1; a > 0; a--) {\n"
                       "        if (in->size[a] != 1 && in->stride[a] != stride) {\n"
                       "            *answer = false;\n"
                       "        }\n"
                       "        stride *= in->size[a];\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "diagnosis:");
    expect_none(text, "it may be a variant of");
    free(text);
}

// With T = 1 and S = 4, a mask that allows only key 0 has the bytes of one aligned at the start.
Test(words, four_bytes_resemble_no_mistake)
{
    char *text = judge("3.1 causal_mask",
                       "    for (size_t i = 0; i < T * S; i++) {\n"
                       "        mask[i] = T < S ? i % S == 0 : i % S + T <= i / S + S;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "causal_mask(T=1, S=4)");
    expect_none(text, "it may be a variant of");
    free(text);
}

// ---- out of time --------------------------------------------------------------------------

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
    remove_tree();
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

// ---- steps --------------------------------------------------------------------------------

// The report names the steps of the exercise: the scores and later results.
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

// q is used instead of k: the scores are wrong, and not a multiple of the right ones.
Test(words, steps_on_the_simulated_gpu_are_named)
{
    write_function(
        "2.5 batched_attention_gpu",
        "    const int t = (int)T, c = (int)C;\n"
        "    const long long map = (long long)T * T, tokens = (long long)T * C;\n"
        "    const float scale = 1.0f / sqrtf((float)C), one = 1.0f, zero = 0.0f;\n"
        "    LAB_TRY(batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, "
        "cublas, stream));\n"
        "    LAB_TRY(batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, "
        "cublas, stream));\n"
        "    LAB_TRY(batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, "
        "cublas, stream));\n"
        "    LAB_TRY(lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, "
        "CUBLAS_OP_N, t, t, c, &scale, q_dev, c, tokens, q_dev, c, tokens, &zero, "
        "scores_dev, t, map, (int)B)));\n"
        "    LAB_TRY(softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream));\n"
        "    return lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, "
        "CUBLAS_OP_N, c, t, t, &one, v_dev, c, tokens, weights_dev, t, map, &zero, "
        "out_dev, c, tokens, (int)B));\n",
        "cu");
    struct options options = options_for("2.5");
    options.gpu = GPU_SIMULATED;
    options.no_cpu = true;
    char *text = report_of(&options, WRONG);
    expect_words(text, "stages: q ✓ k ✓ v ✓ scores wrong");
    free(text);
}

static char *judge_gpu(const char *exercise, enum verdict expected)
{
    struct options options = options_for(exercise);
    options.gpu = GPU_SIMULATED;
    options.no_cpu = true;
    return report_of(&options, expected);
}

static char *judge_kernel(const char *where, const char *body, enum verdict expected)
{
    write_function(where, body, "cu");
    return judge_gpu(where, expected);
}

// What the report says of a launcher that ignores a launch, with another end of it.
static char *judge_launcher(const char *end)
{
    char *body = grader_print("    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, "
                              "stream>>>(weights_dev, scores_dev, S);\n"
                              "%s",
                              end);
    char *text = judge_kernel("1.4 softmax_rows_gpu", body, WRONG);
    expect_words(text, ", if the launch in line ");
    free(body);
    return text;
}

Test(words, a_forgotten_error_of_a_launch_is_said_to_be_forgotten)
{
    char *text = judge_launcher("    (void)cudaGetLastError();\n    return LAB_OK;\n");
    expect_words(text, "the error of a launch is ignored\n");
    expect_words(text, "it returns LAB_OK instead of returning LAB_ECUDA\n");
    expect_words(text, "cudaGetLastError fetches the error of a launch and forgets it.");
    free(text);
}

Test(words, another_status_after_a_launch_is_not_called_forgotten)
{
    char *text = judge_launcher(
        "    return cudaGetLastError() == cudaSuccess ? LAB_OK : LAB_ENOMEM;\n");
    expect_words(text, "returns LAB_ENOMEM, not LAB_ECUDA, if a launch fails\n");
    expect_words(text, "it returns LAB_ENOMEM instead of returning LAB_ECUDA\n");
    expect_none(text, "forgets");
    free(text);
}

Test(words, wrong_results_after_a_launch_that_failed_are_called_so)
{
    char *text = judge_launcher(
        "    if (cudaGetLastError() != cudaSuccess) {\n"
        "        return lab_cuda(cudaMemsetAsync(weights_dev, 0, T * S * sizeof(float), "
        "stream));\n"
        "    }\n"
        "    return LAB_OK;\n");
    expect_words(text, "after a launch that failed, the results are wrong\n");
    expect_words(text, "its results must be right, and they are not.");
    free(text);
}

Test(words, a_launcher_that_tries_until_it_works_never_returns)
{
    char *text =
        judge_launcher("    while (cudaGetLastError() != cudaSuccess) {\n"
                       "        softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, "
                       "stream>>>(weights_dev, scores_dev, S);\n"
                       "    }\n"
                       "    return LAB_OK;\n");
    expect_words(text, "does not return if a launch fails\n");
    expect_words(text, "it never returns instead of returning LAB_ECUDA\n");
    free(text);
}

// The launch is in the workbook's own lab 1.
Test(words, a_launch_in_another_file_has_no_line)
{
    char *text = judge_kernel(
        "2.5 batched_attention_gpu",
        "    const int b = (int)B, t = (int)T, c = (int)C;\n"
        "    const float scale = 1.0f / sqrtf((float)C), one = 1.0f, zero = 0.0f;\n"
        "    LAB_TRY(batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, "
        "stream));\n"
        "    LAB_TRY(batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, cublas, "
        "stream));\n"
        "    LAB_TRY(batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, cublas, "
        "stream));\n"
        "    LAB_TRY(lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, CUBLAS_OP_N, "
        "t, t, c, &scale, k_dev, c, t * c, q_dev, c, t * c, &zero, scores_dev, t, t * t, "
        "b)));\n"
        "    if (softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream) != LAB_OK) {\n"
        "        return LAB_ENOMEM;\n"
        "    }\n"
        "    return lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, "
        "c, t, t, &one, v_dev, c, t * c, weights_dev, t, t * t, &zero, out_dev, c, t * c, "
        "b));\n",
        WRONG);
    expect_words(text, ", if a launch fails:\n  it returns LAB_ENOMEM");
    free(text);
}

Test(words, an_absent_mask_is_named_on_the_simulated_gpu)
{
    char *text = judge_kernel(
        "9.4 grouped_query_kernel",
        "    const size_t n = blockIdx.x;\n"
        "    const size_t t = n % T, h = n / T % NH, b = n / T / NH;\n"
        "    const size_t keys = (b * (NH / G) + h / G) * S * hs;\n"
        "    attend(out_dev + n * hs, weights_dev + n * S, scores_dev + n * S, q_dev + n * "
        "hs, k_dev + keys, v_dev + keys, mask_dev + (b * T + t) * S, S, hs);\n",
        CRASH);
    expect_words(text, "through a null pointer.\n");
    expect_words(text, "  mask is NULL in this call\n");
    free(text);
}

// The call's tensors are smaller than its sizes, so the report shows none. LAB_ESHAPE's own sentence is
// about sizes of 0. In 1.4, a refused launch is not what is wrong.
Test(words, a_size_that_does_not_fit_an_int_is_said)
{
    write_function(
        "1.1 helper",
        "static dim3 grid_for(size_t M, size_t N, dim3 block)\n"
        "{\n"
        "    const unsigned y = lab_blocks(M, block.y);\n"
        "    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);\n"
        "}\n"
        "#define fits_int(size) ((size) > 0 && (size) <= UINT_MAX)\n",
        "cu");
    char *text = judge_gpu("1.1", WRONG);
    expect_words(text, "matmul_gpu(M=2147483651, N=2, K=5), M does not fit an int");
    expect_words(
        text, "The function must refuse this call. M does not fit an int. The header:");
    cr_expect_null(strstr(text, "a (M K)"));
    cr_expect_null(strstr(text, "one of them is zero"));
    free(text);
    text = judge_gpu("1.4", WRONG);
    expect_words(text, "softmax_rows_gpu(T=2147483651, S=2), T does not fit an int\n"
                       "  The function must return LAB_ESHAPE and launch nothing.");
    free(text);
}

// The sizes of tiles are arguments on the CPU only; a kernel has its own.
Test(words, a_call_on_the_gpu_has_no_sizes_of_the_cpu)
{
    char *text =
        judge_kernel("10.2 flash_attention_gpu", "    return LAB_ECUDA;\n", WRONG);
    expect_words(text,
                 "flash_attention_gpu(B=1, NH=1, T=1, S=1, hs=1, causal=0), one query");
    free(text);
}

// The backward pass reaches block 1 first, so the error in stream 0 follows from stream 1.
Test(words, the_step_of_the_way_back_that_is_off_is_named)
{
    char *text = judge(
        "6.11 model_backward",
        "    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;\n"
        "    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, B * T, V));\n"
        "    LAB_TRY(linear_backward(dz->dstreams + s->L * BTC, grads->w_out, "
        "grads->b_out, dz->dlogits, z->streams + s->L * BTC, params->w_out, B * T, "
        "C, V));\n"
        "    for (size_t l = s->L; l-- > 0;) {\n"
        "        const struct block_params block = model_block_params(params, s, l);\n"
        "        const struct block_grads block_grads = model_block_grads(grads, s, l);\n"
        "        const struct block_buffers buffers = model_block_buffers(z, s, l);\n"
        "        LAB_TRY(block_backward(dz->dstreams + l * BTC, &block_grads, "
        "dz, dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block, "
        "z->weights + l * BNHTT, &buffers, B, T, C, s->NH, s->H));\n"
        "        for (size_t i = 0; l > 0 && i < BTC; i++) {\n"
        "            dz->dstreams[l * BTC + i] *= 1.5f;\n"
        "        }\n"
        "    }\n"
        "    LAB_TRY(dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, "
        "uniforms != NULL, BTC));\n"
        "    for (size_t i = 0; i < BTC && grads->position_table != NULL; i++) {\n"
        "        grads->position_table[i % (T * C)] += dz->dpositioned[i];\n"
        "    }\n"
        "    return embedding_backward(grads->token_table, dz->dpositioned, tokens, "
        "B * T, C, V);\n",
        WRONG);
    expect_words(text,
                 "stages: dz.dlogits ✓ grads.w_out ✓ grads.b_out ✓ dz.dstreams wrong");
    expect_words(text, ", first at dz.dstreams[1][0][0][0] = ");
    free(text);
}

// In the smallest calls a step may give what it gets: one token attends only to itself, so
// out is v, and one head is all channels, so v_heads is v. The step before is wrong all the same.
Test(words, a_step_is_named_where_the_next_one_changes_nothing)
{
    char *text = judge("1.6 simple_attention",
                       "    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));\n"
                       "    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));\n"
                       "    LAB_TRY(linear(v, x, w_k, NULL, T, C, d));\n"
                       "    LAB_TRY(matmul_nt(scores, q, k, T, T, d));\n"
                       "    LAB_TRY(softmax_rows(weights, scores, T, T));\n"
                       "    return weighted_values(out, weights, v, T, T, d);\n",
                       WRONG);
    expect_words(text, "stages: q ✓ k ✓ v wrong, first at v[0][0] = ");
    free(text);
    remove_tree();
    text = judge(
        "4.6 multi_head_attention",
        "    const struct attention_buffers *z = buffers;\n"
        "    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, "
        "C_in, 3 * C));\n"
        "    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));\n"
        "    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));\n"
        "    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));\n"
        "    LAB_TRY(split_heads(z->v_heads, z->k, B, T, C, NH));\n"
        "    for (size_t b = 0; b < B; b++) {\n"
        "        LAB_TRY(causal_mask(z->mask + b * T * T, T, T));\n"
        "    }\n"
        "    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, "
        "z->q_heads, z->k_heads, z->v_heads, z->mask, B, NH, T, T, C / NH));\n"
        "    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));\n"
        "    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, "
        "C);\n",
        WRONG);
    expect_words(
        text,
        "q_heads ✓ k_heads ✓ v_heads may be wrong, first at v_heads[0][0][0][0] = ");
    free(text);
}

// The weights are computed in the array of the scores and copied afterwards.
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

// Not a mistake: a mask written over the scores in place, or a factor applied later.
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
