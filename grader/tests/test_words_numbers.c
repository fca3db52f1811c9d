// test_words_numbers.c - how a report shows wrong numbers.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

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
    expect_words(text, "the last row of mask is not written");
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
                         (int)strcspn(functions[i], " "), functions[i], words_tree);
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
        end_words();
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
    end_words();
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

// Where a NaN comes from: BLAS read past the end of a (the distance between its sequences is none of a
// known mistake), a step was left out, or 0 was divided by 0.
Test(words, a_report_says_where_a_nan_comes_from)
{
    char *text =
        judge("2.2 batched_matmul_nt",
              "    for (size_t i = 0; i < B; i++) {\n"
              "        LAB_TRY(matmul_nt(out + i * M * N, a + i * (M * N + N - 1), "
              "b + i * N * K, M, N, K));\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "are NaN: a library call read beyond the end of a tensor");
    expect_words(text, "pointers and the sizes it gets");
    free(text);
    end_words();
    text = judge(
        "5.3 mlp",
        "    LAB_TRY(batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H));\n"
        "    LAB_TRY(gelu(hidden, hidden, N * H));\n"
        "    LAB_TRY(batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, "
        "C));\n"
        "    memcpy(activated, hidden, N * H * sizeof *hidden);\n"
        "    return LAB_OK;\n",
        WRONG);
    expect_words(text, "is NaN: an element of an output or a workspace was read");
    free(text);
    end_words();
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

// The heading and the points name the exercise by its first function.
Test(words, a_headline_about_another_function_than_the_first_names_it)
{
    char *text = judge("1.1 matmul_nt",
                       "    for (size_t m = 0; m < M; m++) {\n"
                       "        for (size_t n = 0; n < N; n++) {\n"
                       "            float sum = 0;\n"
                       "            for (size_t k = 0; k < K; k++) {\n"
                       "                sum += a[m * K + k] * b[k * N + n];\n"
                       "            }\n"
                       "            out[m * N + n] = sum;\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    cr_expect(strncmp(text, "matmul_nt: b is read as if it were stored (K,N)", 47) == 0,
              "%s", text);
    expect_words(text, "diagnosis: b is read as");
    free(text);
}

#define SCORES_UP_TO(rows, columns)                                                      \
    "    float scale = 1.0f / sqrtf((float)d);\n"                                        \
    "    for (size_t t = 0; t < " rows "; t++) {\n"                                      \
    "        for (size_t s = 0; s < " columns "; s++) {\n"                               \
    "            float sum = 0;\n"                                                       \
    "            for (size_t i = 0; i < d; i++) {\n"                                     \
    "                sum += q[t * d + i] * k[s * d + i];\n"                              \
    "            }\n"                                                                    \
    "            scores[t * S + s] = sum * scale;\n"                                     \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

// In the smallest call, the last column is all of scores: "scores is not written" would be said of code
// that writes it.
Test(words, the_column_that_nobody_writes_is_named_in_a_call_with_others)
{
    char *text = judge("1.3 attention_scores", SCORES_UP_TO("T", "S - 1"), WRONG);
    cr_expect(strncmp(text, "the last column of scores is not written\n", 41) == 0, "%s",
              text);
    expect_none(text, "scores(T=1, S=1");
    expect_words(text, "one of ");
    free(text);
}

Test(words, the_row_that_nobody_writes_is_named)
{
    char *text = judge("1.3 attention_scores", SCORES_UP_TO("T - 1", "S"), WRONG);
    cr_expect(strncmp(text, "the last row of scores is not written\n", 38) == 0, "%s",
              text);
    free(text);
}

// Neither a row nor a column; and an output that is written nowhere keeps the smallest call.
Test(words, other_unwritten_numbers_are_no_row_and_no_column)
{
    char *text =
        judge("1.3 attention_scores", SCORES_UP_TO("T - (T > 1)", "S - (S > 1)"), WRONG);
    cr_expect(strncmp(text, "parts of scores are not written\n", 32) == 0, "%s", text);
    free(text);
    text = judge("1.3 attention_scores", "    return LAB_OK;\n", WRONG);
    cr_expect(strncmp(text, "scores is not written\n", 22) == 0, "%s", text);
    expect_words(text, "scores(T=1, S=1");
    expect_words(text, "the smallest of ");
    free(text);
}

Test(words, an_index_with_another_size_in_it_is_named)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("scores[t * T + s] = sum * scale; continue;"), WRONG);
    expect_words(text, "scores (T S) has the right numbers at the wrong places, as if S "
                       "were T\n");
    expect_words(text, "in a later call it crashes: writes scores[2]");
    free(text);
}

// The numbers of another row are not at another place.
Test(words, wrong_numbers_are_not_called_misplaced)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("sum = s > 0 ? sum + 1 : sum;"), WRONG);
    expect_none(text, "at the wrong places");
    free(text);
}

// "expected" is wider than most numbers.
Test(words, the_bars_of_a_table_of_one_number_stand_below_each_other)
{
    char *text =
        judge("1.3 attention_scores", RIGHT_SCORES("sum = sum + 1 - 0.25f;"), WRONG);
    const char *header = strstr(text, "| expected |");
    cr_assert_not_null(header, "%s", text);
    const char *next = strchr(header, '\n');
    for (int line = 0; line < 2; line++) {
        const char *first = strchr(next, '|');
        cr_assert_not_null(first, "%s", text);
        cr_expect_eq(strchr(first + 1, '|') - first, 11, "%s", text);
        next = strchr(first, '\n');
    }
    free(text);
}

// The row length T: the calls before the crash are not all calls.
Test(words, the_calls_before_a_crash_are_not_counted_as_all)
{
    char *text = judge("1.3 attention_scores",
                       "    float scale = 1.0f / sqrtf((float)d);\n"
                       "    for (size_t t = 0; t < T; t++) {\n"
                       "        for (size_t s = 0; s < S; s++) {\n"
                       "            float sum = 0;\n"
                       "            for (size_t i = 0; i < d; i++) {\n"
                       "                sum += q[t * d + i] * k[s * d + i];\n"
                       "            }\n"
                       "            scores[t * T + s] = sum * scale;\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "in a later call it crashes: ");
    expect_words(text, " before the crash)\n");
    expect_none(text, "failing calls (of 4)");
    free(text);
}

// An input just below 1 decides what dropout drops: it must not look like 1, nor a tiny one like 0.
Test(words, an_input_near_a_whole_number_does_not_look_like_it)
{
    char *text =
        judge("5.4 dropout",
              "    const float keep = 1 - fminf(p, 0.95f);\n"
              "    for (size_t i = 0; i < N; i++) {\n"
              "        y[i] = training ? (uniforms[i] < keep ? x[i] / keep : 0) : x[i];\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "p (1)\n       | 0.999999046\n");
    expect_words(text, "4.76837158e-07");
    expect_none(text, "| 1.0000\n");
    free(text);
}

// As of a second moment that adds up g and not its square.
Test(words, a_root_of_a_negative_number_is_among_the_causes_of_nan)
{
    char *text = judge("5.2 gelu",
                       "    for (size_t i = 0; i < N; i++) {\n"
                       "        y[i] = sqrtf(x[i] - 3.0f);\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "the root or logarithm of a negative");
    free(text);
}

// The NaN of the call is right, so its sentence would lead away from the scale.
Test(words, a_nan_that_is_right_is_not_mentioned)
{
    char *text = judge("5.4 dropout",
                       "    for (size_t i = 0; i < N; i++) {\n"
                       "        y[i] = !training || uniforms[i] >= p ? x[i] : 0;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "infinity and NaN, kept");
    expect_none(text, "must be NaN");
    free(text);
    text =
        judge("5.4 dropout",
              "    for (size_t i = 0; i < N; i++) {\n"
              "        y[i] = !training || uniforms[i] < 1 - p ? fmaxf(x[i], -9) : 0;\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "1 of the 4 values must be NaN in this call");
    free(text);
}
