// test_words_slips.c - the report names a loop that starts at 1, an integer that should be a float, a power of 2 and a small
// number by their lines, and only if the function is right without them.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/words.h"

TestSuite(words, .fini = end_words);

// 5.1, with the starts of the sum of squares and of two of its loops. The loop of the maximum is right.
#define LAYERNORM(begin, first_row, first_square)                                        \
    "    for (size_t n = " first_row "; n < N; n++) {\n"                                 \
    "        double sum = 0, maximum = x[n * C], squares = " begin ";\n"                 \
    "        for (size_t c = 1; c < C; c++) {\n"                                         \
    "            maximum = x[n * C + c] > maximum ? x[n * C + c] : maximum;\n"           \
    "        }\n"                                                                        \
    "        for (size_t c = 0; c < C; c++) {\n"                                         \
    "            sum += x[n * C + c] - maximum;\n"                                       \
    "        }\n"                                                                        \
    "        mean[n] = (float)(maximum + sum / (double)C);\n"                            \
    "        for (size_t c = " first_square "; c < C; c++) {\n"                          \
    "            squares += (x[n * C + c] - mean[n]) * (x[n * C + c] - mean[n]);\n"      \
    "        }\n"                                                                        \
    "        rstd[n] = (float)(1 / sqrt(squares / (double)C + LAYERNORM_EPS));\n"        \
    "        for (size_t c = 0; c < C; c++) {\n"                                         \
    "            y[n * C + c] =\n"                                                       \
    "                (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];\n"          \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, a_loop_from_1_is_named_by_its_line)
{
    char *text = judge("5.1 layernorm", LAYERNORM("0", "0", "1"), WRONG);
    expect_words(text, "diagnosis: a loop starts at 1, not at 0: line ");
    expect_words(text, " of block.c\n");
    expect_words(text, "If this loop starts at 0, every call is right.");
    free(text);
}

Test(words, the_loops_from_1_that_are_wrong_are_named_together)
{
    char *text = judge("5.1 layernorm", LAYERNORM("0", "1", "1"), WRONG);
    const char mark[] = "diagnosis: loops start at 1, not at 0: lines ";
    const char *said = strstr(text, mark);
    int row = 0, square = 0;
    cr_assert_not_null(said, "%s", text);
    cr_expect_eq(sscanf(said + strlen(mark), "%d and %d of block.c", &row, &square), 2,
                 "%s", text);
    cr_expect_eq(square - row, 9);
    free(text);
}

Test(words, a_loop_from_1_beside_another_mistake_is_not_named)
{
    char *text = judge("5.1 layernorm", LAYERNORM("0.5f", "0", "1"), WRONG);
    expect_none(text, "starts at 1");
    expect_none(text, "start at 1");
    free(text);
}

Test(words, an_integer_that_holds_fractions_is_named_by_its_line)
{
    char *text =
        judge("6.6 softmax_backward",
              "    for (size_t n = 0; n < N; n++) {\n"
              "        const float *w = weights + n * S, *dw = dweights + n * S;\n"
              "        int mean = 0;\n"
              "        for (size_t s = 0; s < S; s++) {\n"
              "            mean += w[s] * dw[s];\n"
              "        }\n"
              "        for (size_t s = 0; s < S; s++) {\n"
              "            dscores[n * S + s] = w[s] * (dw[s] - mean);\n"
              "        }\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "diagnosis: an integer drops fractions: line ");
    free(text);
}

// 1.3, with the number that a product of a query and a key is divided by.
#define SCORES(before, root)                                                             \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            double dot = 0;\n"                                                      \
    "            for (size_t i = 0; i < d; i++) {\n"                                     \
    "                dot += (double)q[t * d + i] * k[s * d + i];\n"                      \
    "            }\n"                                                                    \
    "            " before "\n"                                                           \
    "            scores[t * S + s] = (float)(dot / (" root "));\n"                       \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, a_root_in_an_integer_is_named_and_not_called_a_variant_of_another_mistake)
{
    static const char *const bodies[] = {SCORES("", "(int)sqrt((double)d)"),
                                         SCORES("int root = sqrt(d);", "root")};
    for (size_t i = 0; i < 2; i++) {
        char *text = judge("1.3 attention_scores", bodies[i], WRONG);
        expect_words(text, "diagnosis: an integer drops fractions: line ");
        expect_none(text, "variant");
        free(text);
    }
}

Test(words, a_small_number_that_is_added_is_named_by_its_line)
{
    char *text =
        judge("1.3 attention_scores", SCORES("", "sqrt((double)d) + 1e-3"), WRONG);
    expect_words(text, "diagnosis: a small number changes the results: line ");
    expect_words(text, "With 1e-30 in its place, every call is right.");
    free(text);
    text = judge("1.3 attention_scores", SCORES("", "(double)d + 1e-3"), WRONG);
    expect_words(text, "; and the scores are divided by d, not by sqrt(d)\n");
    expect_none(text, "every call is right");
    free(text);
}

Test(words, a_power_of_2_is_named_by_its_line)
{
    char *text = judge(
        "1.4 softmax_rows",
        "    for (size_t t = 0; t < T; t++) {\n"
        "        float max = -INFINITY, sum = 0;\n"
        "        for (size_t s = 0; s < S; s++) {\n"
        "            max = fmaxf(max, scores[t * S + s]);\n"
        "        }\n"
        "        for (size_t s = 0; s < S; s++) {\n"
        "            weights[t * S + s] = max == -INFINITY\n"
        "                                     ? 0 : exp2f(scores[t * S + s] - max);\n"
        "            sum += weights[t * S + s];\n"
        "        }\n"
        "        for (size_t s = 0; s < S; s++) {\n"
        "            weights[t * S + s] /= sum > 0 ? sum : 1;\n"
        "        }\n"
        "    }\n"
        "    return LAB_OK;\n",
        WRONG);
    expect_words(text, "diagnosis: exp2f has the base 2, not e: line ");
    expect_words(text, "With expf in its place, every call is right.");
    free(text);
}

// 1.4, with one place for each slip.
#define SOFTMAX(greater, minus, sum_from, end)                                           \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        const float *row = scores + t * S;\n"                                       \
    "        float max = row[0], sum = " sum_from ";\n"                                  \
    "        for (size_t s = 1; s < S; s++) {\n"                                         \
    "            if (row[s] " greater " max) {\n"                                        \
    "                max = row[s];\n"                                                    \
    "            }\n"                                                                    \
    "        }\n"                                                                        \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            weights[t * S + s] = max == -INFINITY ? 0 : expf(row[s] " minus         \
    " max);\n"                                                                           \
    "        }\n"                                                                        \
    "        for (size_t s = 0; s < " end "; s++) {\n"                                   \
    "            sum += weights[t * S + s];\n"                                           \
    "        }\n"                                                                        \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            weights[t * S + s] /= sum != 0 ? sum : 1;\n"                            \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, a_sign_a_direction_a_start_and_an_end_are_named_by_their_lines)
{
    static const struct {
        const char *body, *words, *why;
    } slips[] = {
        {SOFTMAX("<", "-", "0", "S"),
         "diagnosis: a comparison is the wrong way round: line ",
         "With < in place of >, or > in place of <, every call is right."},
        {SOFTMAX(">", "+", "0", "S"), "diagnosis: a sign is wrong: line ",
         "With the other sign, plus or minus, every call is right."},
        {SOFTMAX(">", "-", "1", "S"),
         "diagnosis: a variable starts at 1, not at 0: line ",
         "If this variable starts at 0, every call is right."},
        {SOFTMAX(">", "-", "0", "S - 1"),
         "diagnosis: a loop ends one step too early: line ",
         "With one step more, every call is right: "},
    };
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        char *text = judge("1.4 softmax_rows", slips[i].body, WRONG);
        expect_words(text, slips[i].words);
        expect_words(text, slips[i].why);
        free(text);
    }
    char *text = judge("1.4 softmax_rows", SOFTMAX("<", "+", "0", "S"), WRONG);
    expect_words(text, "diagnosis: a sign is wrong: line ");
    expect_words(text, "; and a comparison is the wrong way");
    expect_words(text, "with both corrected, every call is right");
    expect_none(text, "With the other sign");
    free(text);
}

// 1.1, where `times` is 1 if `one` is a float.
#define MATMUL(one, times)                                                               \
    "    for (size_t m = 0; m < M; m++) {\n"                                             \
    "        for (size_t n = 0; n < N; n++) {\n"                                         \
    "            double sum = 0;\n"                                                      \
    "            for (size_t k = 0; k < K; k++) {\n"                                     \
    "                sum += (double)a[m * K + k] * b[k * N + n];\n"                      \
    "            }\n"                                                                    \
    "            " one "\n"                                                              \
    "            out[m * N + n] = (float)(sum * (" times "));\n"                         \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, an_integer_that_is_divided_is_named_by_what_its_quotient_drops)
{
    char *text = judge("1.1 matmul",
                       MATMUL("int halves = 0; halves += 2;", "(1 / halves) * 2"), WRONG);
    expect_words(text, "diagnosis: an integer drops fractions: line ");
    expect_words(text, "1 / 2 is 0");
    free(text);
}

Test(words, an_integer_without_a_fraction_is_not_named)
{
    char *text =
        judge("1.1 matmul", MATMUL("size_t none = 0;", "-1 * (float)(none - 1)"), WRONG);
    expect_none(text, "fraction");
    free(text);
    text = judge("1.1 matmul",
                 MATMUL("int large = 0; large += 1 << 30;", "large * 4 / 4294967296.0f"),
                 CRASH);
    expect_none(text, "fraction");
    free(text);
}

// An int below 0 is a huge number beside a size_t, as a long is; as a double it is not.
Test(words, an_integer_that_wraps_around_is_not_called_one_that_drops_fractions)
{
    char *text = judge("3.1 causal_mask",
                       "    if (T == 0 || S == 0) {\n        return LAB_ESHAPE;\n    }\n"
                       "    int last = 0;\n"
                       "    for (size_t t = 0; t < T; t++) {\n"
                       "        last = (int)t + (int)S - (int)T;\n"
                       "        for (size_t s = 0; s < S; s++) {\n"
                       "            mask[t * S + s] = s <= last;\n"
                       "        }\n    }\n    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "fraction");
    expect_words(text, "it wraps around to a huge number");
    free(text);
}

// The sum stays 0, so top_p keeps every token: the numbers are those of a known mistake, in every call.
Test(words, an_integer_is_named_rather_than_the_mistake_that_it_looks_like)
{
    char *text = judge(
        "8.10 sample_token",
        "    const float t = sampling->temperature;\n"
        "    for (size_t i = 0; i < V; i++) {\n"
        "        size_t place = i;\n"
        "        for (; place > 0 && logits[order[place - 1]] < logits[i]; place--) {\n"
        "            order[place] = order[place - 1];\n"
        "        }\n"
        "        order[place] = i;\n"
        "    }\n"
        "    size_t keep = sampling->top_k > 0 && sampling->top_k < V ? sampling->top_k : V;\n"
        "    keep = t == 0.0f ? 1 : keep;\n"
        "    double total = 0.0, before = 0.0;\n"
        "    for (size_t r = 0; r < V; r++) {\n"
        "        const double below = (double)logits[order[r]] - (double)logits[order[0]];\n"
        "        probabilities[order[r]] = (float)exp(below / (t > 0.0f ? (double)t : 1.0));\n"
        "        total += r < keep ? (double)probabilities[order[r]] : 0.0;\n"
        "    }\n"
        "    int sum = 0;\n"
        "    for (size_t r = 0; r < keep && sampling->top_p < 1.0f; r++) {\n"
        "        sum += (double)probabilities[order[r]] / total;\n"
        "        keep = sum >= (double)sampling->top_p ? r + 1 : keep;\n"
        "    }\n"
        "    total = 0.0;\n"
        "    for (size_t r = 0; r < keep; r++) {\n"
        "        total += (double)probabilities[order[r]];\n"
        "    }\n"
        "    *token = order[keep - 1];\n"
        "    for (size_t r = 0; r < keep && before <= (double)u; r++) {\n"
        "        before += (double)probabilities[order[r]] / total;\n"
        "        *token = order[r];\n"
        "    }\n"
        "    for (size_t r = 0; r < V; r++) {\n"
        "        float *p = &probabilities[order[r]];\n"
        "        *p = r < keep ? (float)((double)*p / total) : 0.0f;\n"
        "    }\n"
        "    return LAB_OK;\n",
        WRONG);
    expect_words(text, "diagnosis: an integer drops fractions: line ");
    expect_none(text, "top_p is not used");
    free(text);
}

// 1.1 with a loop that leaves the first row to what the output held.
#define MATMUL_FROM(first, more)                                                         \
    "#include <stdlib.h>\n#include <string.h>\n// BODY\n"                                \
    "    " more "\n"                                                                     \
    "    for (size_t m = " first "; m < M; m++) {\n"                                     \
    "        for (size_t n = 0; n < N; n++) {\n"                                         \
    "            out[m * N + n] = 0;\n"                                                  \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    for (size_t m = 0; m < M; m++) {\n"                                             \
    "        for (size_t n = 0; n < N; n++) {\n"                                         \
    "            for (size_t k = 0; k < K; k++) {\n"                                     \
    "                out[m * N + n] += a[m * K + k] * b[k * N + n];\n"                   \
    "            }\n"                                                                    \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, a_loop_from_1_is_named_rather_than_the_old_output_that_it_leaves)
{
    char *text = judge("1.1 matmul", MATMUL_FROM("1", ""), WRONG);
    expect_words(text, "diagnosis: a loop starts at 1, not at 0: line ");
    expect_none(text, "old contents");
    free(text);
}

// From 0, the loop above takes memory until there is none: no further copy is tried.
// Each of 27 copies is right in one run of 128, where the system puts a variable at such an address. One that is
// right in all three runs that it takes is found once in 77,000 runs of this test; one run would be enough in a fifth
// of them.
#define LOOP "    for (int i = 1; i < 2; i++) { changed += i == 0; }\n"
#define BASE "    changed += exp2f(1) > 2.5f;\n"
#define SMALL "    changed += tiny > 1e-6f;\n"
#define TIMES_8(line) line line line line line line line line
#define LUCKY                                                                                \
    "    static char here;\n"                                                                \
    "    const float tiny = 1 / 1e7f;\n"                                                     \
    "    int changed = 0;\n" TIMES_8(LOOP) TIMES_8(BASE) TIMES_8(                            \
        SMALL) "    const size_t page = (size_t)&here >> 13;\n"                              \
               "    const float scale = 1 / sqrtf(d) + (page % 128 != 0 || changed == 0);\n" \
               "    for (size_t t = 0; t < T; t++) {\n"                                      \
               "        for (size_t s = 0; s < S; s++) {\n"                                  \
               "            double dot = 0;\n"                                               \
               "            for (size_t i = 0; i < d; i++) {\n"                              \
               "                dot += q[t * d + i] * k[s * d + i];\n"                       \
               "            }\n"                                                             \
               "            scores[t * S + s] = dot * scale;\n"                              \
               "        }\n"                                                                 \
               "    }\n"                                                                     \
               "    return LAB_OK;\n"

Test(words, a_copy_that_is_right_by_chance_names_nothing)
{
    char *text = judge("1.3 attention_scores", LUCKY, WRONG);
    expect_none(text, "every call is ");
    free(text);
}

Test(words, a_copy_that_takes_too_much_memory_ends_the_search)
{
    char *text =
        judge("1.1 matmul",
              MATMUL_FROM("1", "for (size_t i = 1; i < 2; i += 0 < i) {\n"
                               "        char *taken = malloc(1 << 20);\n"
                               "        memset(taken, 1, taken != NULL ? 1 << 20 : 0);\n"
                               "    }"),
              WRONG);
    expect_none(text, "starts at 1");
    expect_words(text, "old contents");
    free(text);
}
