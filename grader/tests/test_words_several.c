// test_words_several.c - two mistakes in one function: what the report says of each.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/words.h"

TestSuite(words, .fini = end_words);

// As expect_words, wherever the report begins a line.
static void expect_sentence(const char *text, const char *words)
{
    char *joined = strdup(text);
    cr_assert_not_null(joined);
    char *to = joined;
    for (const char *from = text; *from != '\0';) {
        const bool wrapped = strncmp(from, "\n  ", 3) == 0;
        *to++ = wrapped ? ' ' : *from;
        from += wrapped ? 3 : 1;
    }
    *to = '\0';
    expect_words(joined, words);
    free(joined);
}

#define NUMBERS "exactly the numbers of a known mistake: "

// ---- both are in the tables ---------------------------------------------------------------

#define LINEAR(start, element)                                                           \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        for (size_t o = 0; o < O; o++) {\n"                                         \
    "            float sum = " start ";\n"                                               \
    "            for (size_t i = 0; i < I; i++) {\n"                                     \
    "                sum += x[t * I + i] * " element ";\n"                               \
    "            }\n"                                                                    \
    "            y[t * O + o] = sum;\n"                                                  \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

// Without a bias only the weight is wrong; with I = 1 or O = 1, only the bias.
Test(words, two_mistakes_are_named_by_the_calls_in_which_each_is_alone)
{
    char *text = judge("1.2 linear", LINEAR("0", "w[i * O + o]"), WRONG);
    expect_sentence(text,
                    "your code gives " NUMBERS "the weight is read as if it were stored "
                    "(I,O)");
    expect_sentence(
        text,
        "in at least 4 other failing calls (such as linear(T=1, I=1, O=1), whole "
        "numbers, to check by hand), your code gives " NUMBERS "the bias is never added");
    expect_words(text, "Your code may make both mistakes.");
    free(text);
}

Test(words, one_mistake_is_not_said_to_be_two)
{
    char *text = judge("1.2 linear", LINEAR("bias ? bias[o] : 0", "w[i * O + o]"), WRONG);
    expect_words(text, "diagnosis: the weight is read as if it were stored (I,O)");
    expect_none(text, "exactly the numbers");
    free(text);
}

#define SCORES(element, value)                                                           \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            float dot = 0;\n"                                                       \
    "            for (size_t i = 0; i < d; i++) {\n"                                     \
    "                dot += q[t * d + i] * " element ";\n"                               \
    "            }\n"                                                                    \
    "            scores[t * S + s] = " value ";\n"                                       \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

// With one key, k[i * S + s] is k[s * d + i]. No call shows the index alone.
Test(words, one_of_two_mistakes_is_named_where_the_other_shows_in_no_call_alone)
{
    char *text = judge("1.3 attention_scores", SCORES("k[i * S + s]", "dot"), WRONG);
    expect_sentence(
        text, "in at least 3 failing calls (such as attention_scores(T=1, S=1, d=4), "
              "whole numbers, to check by hand), your code gives " NUMBERS
              "the scores are not divided by sqrt(d)");
    expect_sentence(
        text, "This does not explain everything that is wrong: it may be one of two "
              "mistakes, a variant of that mistake, or a coincidence.");
    expect_none(text, "diagnosis:");
    free(text);
}

// Numbers that no known mistake gives.
Test(words, a_mistake_of_its_own_is_said_to_be_no_other)
{
    char *text = judge("1.3 attention_scores",
                       SCORES("k[s * d + i]", "dot / sqrtf((float)d) + 0.37f"), WRONG);
    expect_none(text, "exactly the numbers");
    free(text);
}

// ---- each in an output of its own -----------------------------------------------------------

#define ADAM(m_share, v_share)                                                           \
    "    for (size_t i = 0; i < N; i++) {\n"                                             \
    "        w[i] -= (float)(settings->lr * settings->weight_decay * w[i]);\n"           \
    "        m[i] = (float)(settings->beta1 * m[i] + " m_share ");\n"                    \
    "        v[i] = (float)(settings->beta2 * v[i] + " v_share ");\n"                    \
    "        const double m_hat = m[i] / (1.0 - pow(settings->beta1, (double)step));\n"  \
    "        const double v_hat = v[i] / (1.0 - pow(settings->beta2, (double)step));\n"  \
    "        w[i] -= (float)(settings->lr * m_hat / (sqrt(v_hat) + settings->eps));\n"   \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, two_mistakes_in_two_outputs_are_both_named)
{
    char *text =
        judge("6.12 adam_step", ADAM("g[i]", "(1.0 - settings->beta2) * g[i]"), WRONG);
    expect_sentence(text, "m has " NUMBERS "m is beta1 m + g");
    expect_sentence(text, "v has " NUMBERS
                          "v is a mean of the gradients, not of their squares");
    expect_words(text, "Your code may make both mistakes.");
    free(text);
}

// w is wrong in both cases because m is.
Test(words, a_mistake_that_spoils_two_outputs_is_one)
{
    char *text = judge("6.12 adam_step",
                       ADAM("g[i]", "(1.0 - settings->beta2) * g[i] * g[i]"), WRONG);
    expect_words(text, "diagnosis: m is beta1 m + g");
    expect_none(text, "exactly the numbers");
    free(text);
    text = judge("6.12 adam_step",
                 ADAM("0.37 * g[i]", "(1.0 - settings->beta2) * g[i] * g[i]"), WRONG);
    expect_none(text, "exactly the numbers");
    free(text);
}

#define LAYERNORM(variance)                                                              \
    "    for (size_t n = 0; n < N; n++) {\n"                                             \
    "        const float *row = x + n * C;\n"                                            \
    "        double sum = 0.0, squares = 0.0;\n"                                         \
    "        for (size_t c = 0; c < C; c++) {\n"                                         \
    "            sum += row[c];\n"                                                       \
    "        }\n"                                                                        \
    "        mean[n] = (float)(sum / (double)C);\n"                                      \
    "        for (size_t c = 0; c < C; c++) {\n"                                         \
    "            const double distance = row[c] - mean[n];\n"                            \
    "            squares += distance * distance;\n"                                      \
    "        }\n"                                                                        \
    "        rstd[n] = (float)(1.0 / sqrt(" variance "));\n"                             \
    "        for (size_t c = 0; c < C; c++) {\n"                                         \
    "            y[n * C + c] = (row[c] - mean[n]) * rstd[n] * gain[c] + bias[c];\n"     \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

// fmax drops NaN. A known mistake, eps as a lower limit, gives the same number in this call, the only one that fails.
Test(words, a_number_in_place_of_nan_points_to_no_mistake)
{
    char *text =
        judge("5.1 layernorm",
              LAYERNORM("fmax(squares / (double)C, 0.0) + LAYERNORM_EPS"), WRONG);
    expect_words(text, "must be NaN in this call");
    expect_none(text, "known mistake");
    free(text);
}

// ---- one is a slip, whose line is known ---------------------------------------------------

#define SHORT_SCORES(end, scale)                                                         \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            float dot = 0;\n"                                                       \
    "            for (size_t i = 0; i < " end "; i++) {\n"                               \
    "                dot += q[t * d + i] * k[s * d + i];\n"                              \
    "            }\n"                                                                    \
    "            scores[t * S + s] = dot / sqrtf((float)" scale ");\n"                   \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

Test(words, a_slip_and_a_known_mistake_are_both_named)
{
    char *text = judge("1.3 attention_scores", SHORT_SCORES("d - 1", "S"), WRONG);
    expect_words(text, "diagnosis: a loop ends one step too early: line ");
    expect_words(text, "; and the scores are divided by sqrt(S), not by sqrt(d)");
    expect_sentence(text,
                    "These are two mistakes: in a copy of your file with the first one "
                    "corrected, every call shows exactly the second one.");
    free(text);
}

Test(words, a_slip_alone_is_one_mistake)
{
    char *text = judge("1.3 attention_scores", SHORT_SCORES("d - 1", "d"), WRONG);
    expect_words(text, "diagnosis: a loop ends one step too early: line ");
    expect_none(text, "two mistakes");
    free(text);
}

// The copy with x - n * C goes out of bounds in its second row. The calls before are those with one row, in which it
// changes nothing, and of which a known mistake explains each.
Test(words, a_change_after_which_a_call_crashes_corrects_nothing)
{
    char *text = judge("5.1 layernorm", LAYERNORM("squares / (double)(C - 1)"), WRONG);
    expect_none(text, "a sign is wrong");
    expect_words(text, "the variance is divided by C - 1 instead of C");
    expect_words(text, "eps is missing");
    free(text);
}

// With + for -, every key is allowed, which is a known mistake, and another sign makes calls right, too. No sign is wrong.
Test(words, a_change_that_leads_to_a_mask_of_ones_proves_nothing)
{
    char *text = judge("3.1 causal_mask",
                       "    for (size_t t = 0; t < T; t++) {\n"
                       "        for (size_t s = 0; s < S; s++) {\n"
                       "            mask[t * S + s] = s < t + (S - T);\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "two mistakes");
    expect_none(text, "exactly the numbers");
    free(text);
}

// ---- two slips ----------------------------------------------------------------------------

// With the second loop corrected, the rows whose first score is the largest are right.
Test(words, two_slips_are_both_named)
{
    char *text = judge("1.4 softmax_rows",
                       "    for (size_t t = 0; t < T; t++) {\n"
                       "        const float *row = scores + t * S;\n"
                       "        float max = row[0];\n"
                       "        for (size_t s = 1; s < S; s++) {\n"
                       "            max = row[s] < max ? row[s] : max;\n"
                       "        }\n"
                       "        if (max == -INFINITY) {\n"
                       "            max = 0;\n"
                       "        }\n"
                       "        double sum = 0.0;\n"
                       "        for (size_t s = 0; s < S; s++) {\n"
                       "            weights[t * S + s] = expf(row[s] - max);\n"
                       "            sum += weights[t * S + s];\n"
                       "        }\n"
                       "        for (size_t s = 0; s < S - 1; s++) {\n"
                       "            weights[t * S + s] = sum == 0.0 ? 0.0f : "
                       "(float)(weights[t * S + s] / sum);\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "diagnosis: a loop ends one step too early: line ");
    expect_words(text, "; and a comparison is");
    expect_words(text, "the wrong way round: line ");
    expect_words(text,
                 "These are two mistakes: with both corrected, every call is right.");
    free(text);
}
