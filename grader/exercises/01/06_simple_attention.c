// 06_simple_attention.c - what the grader knows of 1.6, simple_attention.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "01_simple_attention/attention.h"

// Divides the three weights by sqrt(C), about what nn.Linear starts with, so that queries and
// keys have unit scale and no weight is close to 0 or 1.
static void unit_projections(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float factor = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_q", factor);
    scale_input(test, "w_k", factor);
    scale_input(test, "w_v", factor);
}

// Each token's own score lies 5000 above those of the others: exp overflows, in double too,
// unless the maximum, in turn the first, a middle and the last of its row, is found and
// subtracted. The first T channels of x say which token it is, and w_q and w_k look at nothing
// else. Whole numbers with C = 16 and d = 4 make every score exact, right or wrongly scaled, in
// whatever order it is summed.
static void own_score_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), C = case_dim(test, "C"), d = case_dim(test, "d");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < T * C; i++) {
        size_t t = i / C, c = i % C;
        x[i] = c < T ? (float)(c == t) : rintf(2.0f * x[i]);
    }
    for (size_t i = 0; i < d * C; i++) {
        size_t o = i / C, c = i % C;
        w_q[i] = o == c ? 100.0f : c < T ? rintf(w_q[i]) : 0.0f;
        w_k[i] = o == c ? 100.0f : 0.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// All scores of the call near 5000, or near -5000: channel 0 of x is 1 and channel 1 the sign,
// component 0 of the queries looks at the one and of the keys at the other, and component 1
// makes the differences, small whole numbers. Exact for the same reasons.
static void far_scores(struct test_case *test, float sign)
{
    size_t C = case_dim(test, "C"), d = case_dim(test, "d");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = i % C == 0 ? 1.0f : i % C == 1 ? sign : rintf(x[i]);
    }
    for (size_t i = 0; i < d * C; i++) {
        size_t o = i / C, c = i % C;
        w_q[i] = o > 1 || c != 2 * o ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_k[i] = o > 1 || c != 2 * o + 1 ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

static void far_up_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    far_scores(test, 1.0f);
}

static void far_down_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    far_scores(test, -1.0f);
}

// d <= C but for the special cases: a student who mixes x in the place of v then stays inside
// x, where d > C is a crash. d = 1 does not come first, as in 1.3.
static const struct case_spec attention_cases[] = {
    {.dims = "T=1 C=2 d=2", .note = "one token attends to itself"},
    {.dims = "T=1 C=3 d=2", .note = "one token attends to itself"},
    {"T=3 C=1 d=1", 1, "width 1", unit_projections},
    {"T=2 C=3 d=2", 1, "two tokens", unit_projections},
    {.dims = "T=3 C=4 d=4", .note = "the shape of the handout, with its peaked weights"},
    {"T=3 C=5 d=4", 1, NULL, unit_projections},
    {"T=4 C=4 d=4", 1, "every size is the same", unit_projections},
    {"T=2..4 C=8..11 d=5..7", 3, NULL, unit_projections},
    {"T=12..14 C=9..11 d=5..8", 2, NULL, unit_projections},
    {"T=5 C=32 d=16", 1, "wider", unit_projections},
    {"T=4 C=16 d=4", 1, "each token's own score far above the rest", own_score_huge},
    {"T=5 C=16 d=4", 1, "all scores near 5000", far_up_scores},
    {"T=5 C=16 d=4", 1, "all scores near -5000", far_down_scores},
    {"T=71 C=73 d=67", 1, "all sizes past 64", unit_projections},
    {"T=263 C=3 d=2", 1, "more than 256 tokens", unit_projections},
    {"T=3 C=521 d=5", 1, "input wider than 512", unit_projections},
    {"T=2 C=263 d=257", 1, "queries wider than 256", unit_projections},
    {.dims = "T=0 C=3 d=2", .note = "no tokens: LAB_ESHAPE"},
    {.dims = "T=2 C=0 d=3", .note = "no input: LAB_ESHAPE"},
    {.dims = "T=2 C=3 d=0", .note = "queries of width 0: LAB_ESHAPE"},
    {0},
};

static const struct special_case attention_special[] = {
    {.dims = "T=4 C=3 d=5",
     .note = "queries wider than the input",
     .fill = unit_projections,
     .apart = true},
    {.dims = "T=3 C=2 d=131",
     .note = "queries much wider than the input",
     .fill = unit_projections,
     .apart = true,
     .cpu_only = true},
    {0},
};

static void swap_first_and_last_token(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(second, "x");
    size_t C = case_dim(second, "C"), last = (case_dim(second, "T") - 1) * C;
    for (size_t c = 0; c < C; c++) {
        float first = x[c];
        x[c] = x[last + c];
        x[last + c] = first;
    }
}

// BEGIN HANDED OUT
static bool outputs_are_swapped(const struct test_case *first,
                                const struct test_case *second, char *why,
                                size_t why_size)
{
    const float *before = case_got(first, "out");
    const float *after = case_got(second, "out");
    size_t T = case_dim(first, "T"), d = case_dim(first, "d");
    for (size_t t = 0; t < T; t++) {
        size_t moved = t == 0 ? T - 1 : t == T - 1 ? 0 : t;
        for (size_t i = 0; i < d; i++) {
            float was = before[t * d + i], is = after[moved * d + i];
            if (!(fabsf(was - is) <=
                  1e-4f + 1e-4f * fabsf(was))) { // sums in another order
                snprintf(why, why_size, "out[%zu][%zu] was %g, out[%zu][%zu] became %g",
                         t, i, (double)was, moved, i, (double)is);
                return false;
            }
        }
    }
    return true;
}
// END HANDED OUT

static const struct property attention_properties[] = {
    {
        .id = "single-key",
        .claim = "a token that is alone gives itself weight 1",
        .dims = "T=1 C=4 d=3",
        .change = swap_first_and_last_token,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "order",
        .claim = "swapping two tokens swaps their outputs and changes no other: "
                 "attention has no idea of order",
        .dims = "T=5 C=4 d=3",
        .change = swap_first_and_last_token,
        HOLDS(outputs_are_swapped),
    },
    {0},
};

// The names of simple_attention's arguments in one place, for functions that share them all.
#define ATTENTION_ARGUMENTS                                                              \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        const float *x, const float *w_q, const float *w_k, const float *w_v, size_t T,  \
        size_t C, size_t d

static lab_status attention_plain(ATTENTION_ARGUMENTS)
{
    return simple_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
}

// The second half again, from the scores on, after something changed in them.
static lab_status finish(float *out, float *weights, const float *scores, const float *v,
                         size_t T, size_t d)
{
    lab_status status = softmax_rows(weights, scores, T, T);
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;
}

static lab_status attention_swapped(ATTENTION_ARGUMENTS)
{
    return simple_attention(out, weights, q, k, v, scores, x, w_k, w_q, w_v, T, C, d);
}

static lab_status attention_same_projection(ATTENTION_ARGUMENTS)
{
    (void)w_k;
    return simple_attention(out, weights, q, k, v, scores, x, w_q, w_q, w_v, T, C, d);
}

static lab_status attention_values_are_keys(ATTENTION_ARGUMENTS)
{
    (void)w_v;
    return simple_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_k, T, C, d);
}

static lab_status attention_values_are_input(ATTENTION_ARGUMENTS)
{
    if (d > C) {
        return LEAVES_ARGUMENTS;
    }
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    return status == LAB_OK ? weighted_values(out, weights, x, T, T, d) : status;
}

static lab_status attention_weights_read_in_out(ATTENTION_ARGUMENTS)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    lab_status status = matmul(q, x, w_q, T, d, C);
    status = status == LAB_OK ? matmul(k, x, w_k, T, d, C) : status;
    status = status == LAB_OK ? matmul(v, x, w_v, T, d, C) : status;
    status = status == LAB_OK ? attention_scores(scores, q, k, T, T, d) : status;
    return status == LAB_OK ? finish(out, weights, scores, v, T, d) : status;
}

static lab_status attention_no_scale(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        scale(scores, T * T, sqrtf((float)d));
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

static lab_status attention_root_of_C(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        scale(scores, T * T, sqrtf((float)d / (float)C));
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

static lab_status attention_scaled_twice(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        scale(scores, T * T, 1.0f / sqrtf((float)d));
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

// a(T,d) = 0 from column C on
static void keep_columns(float *a, size_t T, size_t C, size_t d)
{
    for (size_t i = 0; i < T * d; i++) {
        a[i] = i % d < C ? a[i] : 0.0f;
    }
}

static lab_status attention_only_C_wide(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        keep_columns(q, T, C, d);
        keep_columns(v, T, C, d);
        status = attention_scores(scores, q, k, T, T, d);
    }
    return status == LAB_OK ? finish(out, weights, scores, v, T, d) : status;
}

static lab_status attention_columns(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        status = softmax_columns(weights, scores, T, T);
    }
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;
}

static lab_status attention_softmax_twice(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        memcpy(scores, weights, T * T * sizeof *scores);
        status = finish(out, weights, scores, v, T, d);
    }
    return status;
}

static lab_status attention_no_softmax(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    if (status == LAB_OK) {
        memcpy(weights, scores, T * T * sizeof *weights);
        status = weighted_values(out, weights, v, T, T, d);
    }
    return status;
}

static lab_status attention_scores_applied(ATTENTION_ARGUMENTS)
{
    lab_status status =
        attention_plain(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
    return status == LAB_OK ? weighted_values(out, scores, v, T, T, d) : status;
}

static const struct mistake attention_mistakes[] = {
    {
        .id = "q-k-swapped",
        .what = "queries and keys are swapped: the scores are k q^T",
        .why = "Row t of the scores belongs to the query of token t, so q comes first: "
               "q = x w_q^T, k = x w_k^T, attention_scores(scores, q, k, ...).",
        .function = LIKE(simple_attention, attention_swapped),
    },
    {
        .id = "k-is-q",
        .what = "the keys are made with w_q: queries and keys are the same",
        .why = "Each of q, k and v has a projection of its own. With q for both, the "
               "scores are symmetric: \"a fits b\" would always mean \"b fits a\".",
        .function = LIKE(simple_attention, attention_same_projection),
    },
    {
        .id = "values-are-keys",
        .what = "the weighted sum mixes the keys, not the values",
        .why = "Keys only decide who is looked at. What is handed over is v = x w_v^T.",
        .function = LIKE(simple_attention, attention_values_are_keys),
    },
    {
        .id = "values-are-input",
        .what = "the weighted sum mixes the rows of x: w_v is never used",
        .why = "The values are a projection of their own, v = x w_v^T, and they are d "
               "wide.",
        .function = LIKE(simple_attention, attention_values_are_input),
    },
    {
        .id = "weights-read-in-out",
        .what = "the projections are x w, not x w^T: w is read as (C,d)",
        .why = "Linear weights are (out, in), here (d,C). Use linear, or matmul_nt.",
        .source = "nntile/nntile#370",
        .function = LIKE(simple_attention, attention_weights_read_in_out),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(d)",
        .why = "A dot product of d terms has variance d; dividing by sqrt(d) brings it "
               "back to 1. Call attention_scores, which does it.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(simple_attention, attention_no_scale),
    },
    {
        .id = "root-of-C",
        .what = "the scores are divided by sqrt(C), not by sqrt(d)",
        .why = "What the dot product sums over is the width d of a query, not the width "
               "C of x.",
        .source = "Graylab/DL4Proteins-notebooks#12, "
                  "FareedKhan-dev/train-llm-from-scratch#3",
        .function = LIKE(simple_attention, attention_root_of_C),
    },
    {
        .id = "only-C-wide",
        .what = "only the first C components of queries, keys and values are used",
        .why = "x is C wide; queries, keys and values are d wide, and d may be larger.",
        .function = LIKE(simple_attention, attention_only_C_wide),
    },
    {
        .id = "scaled-twice",
        .what = "the scores are divided by sqrt(d) twice instead of once",
        .why = "attention_scores has divided already.",
        .function = LIKE(simple_attention, attention_scaled_twice),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Columns sum to 1 here, rows should: each query shares out its attention.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(simple_attention, attention_columns),
    },
    {
        .id = "softmax-twice",
        .what = "the softmax is applied twice instead of once",
        .why = "A second softmax of numbers between 0 and 1 makes all weights nearly "
               "equal.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(simple_attention, attention_softmax_twice),
    },
    {
        .id = "no-softmax",
        .what = "there is no softmax: the weights are the scores",
        .why = "Scores can be negative and of any size. softmax_rows turns them into "
               "shares of 1.",
        .function = LIKE(simple_attention, attention_no_softmax),
    },
    {
        .id = "scores-applied",
        .what = "the weights are right, but the values are mixed by the scores",
        .why = "weighted_values takes the weights, after the softmax: out = weights v.",
        .function = LIKE(simple_attention, attention_scores_applied),
    },
    {0},
};

// Sums in float, the query scaled first.
static lab_status attention_in_float(ATTENTION_ARGUMENTS)
{
    lab_status status = float_product(q, by_rows(x, C), by_columns(w_q, C), T, d, C);
    if (status != LAB_OK) {
        return status;
    }
    scale(q, T * d, 1.0f / sqrtf((float)d));
    status = float_product(k, by_rows(x, C), by_columns(w_k, C), T, d, C);
    status = status == LAB_OK
                 ? float_product(v, by_rows(x, C), by_columns(w_v, C), T, d, C)
                 : status;
    status = status == LAB_OK
                 ? float_product(scores, by_rows(q, d), by_columns(k, d), T, T, d)
                 : status;
    status = status == LAB_OK ? softmax_by_exp2(weights, scores, T, T) : status;
    return status == LAB_OK
               ? float_product(out, by_rows(weights, T), by_rows(v, d), T, d, T)
               : status;
}

static const struct mistake attention_alternatives[] = {
    {.id = "float-sums", .function = LIKE(simple_attention, attention_in_float)},
    {0},
};

static const struct part attention_parts[] = {
    {
        .function = "simple_attention",
        .dims = "T C d",
        .tensors = {{"out", "T d", OUTPUT, F32, 1e-4f, 1e-5f},
                    {"weights", "T T", OUTPUT, F32, 2e-5f, 1e-5f},
                    {.name = "q", .shape = "T d", .role = WORKSPACE},
                    {.name = "k", .shape = "T d", .role = WORKSPACE},
                    {.name = "v", .shape = "T d", .role = WORKSPACE},
                    {.name = "scores", .shape = "T T", .role = WORKSPACE},
                    {.name = "x", .shape = "T C"},
                    {.name = "w_q", .shape = "d C"},
                    {.name = "w_k", .shape = "d C"},
                    {.name = "w_v", .shape = "d C"}},
        .stages = "q k v scores:q,k weights:scores out:weights,v",
        .cases = attention_cases,
        .special = attention_special,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

const struct exercise exercise_1_6 = {
    .id = "1.6",
    .name = "simple_attention",
    .section = "1.6 Attention",
    .uses = {"1.2", "1.3", "1.4", "1.5"},
    .hints =
        {
            "Nothing new is computed here: every arrow of the drawing is a function "
            "you have written. Follow it from x to out, and look at every status.",
            "q = x w_q^T, k = x w_k^T, v = x w_v^T; scores = q k^T / sqrt(d); "
            "weights = softmax of the rows of scores; out = weights v. Queries and "
            "keys are the same tokens, so S is T.",
            "In almost code, each line only while the status is LAB_OK:\n"
            "      linear(q, x, w_q, NULL, T, C, d)\n"
            "      linear(k, x, w_k, NULL, T, C, d)\n"
            "      linear(v, x, w_v, NULL, T, C, d)\n"
            "      attention_scores(scores, q, k, T, T, d)\n"
            "      softmax_rows(weights, scores, T, T)\n"
            "      weighted_values(out, weights, v, T, T, d)\n"
            "      and return the last status.",
        },
    .parts = attention_parts,
};
