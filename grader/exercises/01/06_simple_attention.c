// 06_simple_attention.c - exercise 1.6, simple_attention: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "01_simple_attention/attention.h"

// Divides the three weights by sqrt(C), about the scale with which nn.Linear starts. Then
// queries and keys have unit scale, and no attention weight is close to 0 or 1.
static void unit_projections(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float factor = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_q", factor);
    scale_input(test, "w_k", factor);
    scale_input(test, "w_v", factor);
}

// For long sequences: in the sum of a row, the rounding errors of large scores would be added up.
static void flat_projections(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float factor = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_q", 0.3f * factor);
    scale_input(test, "w_k", 0.3f * factor);
    scale_input(test, "w_v", factor);
}

// Each token's score with itself is 5000 above its other scores. exp overflows, even in
// double, unless the student subtracts the maximum, which is at the start, in the middle
// or at the end of its row. The first T channels of x identify the token, and w_q and w_k
// use only these. Whole numbers with C = 16 and d = 4 make every score exact in any order
// of summation, also if it is scaled wrongly.
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

// All scores of the call are near 5000, or near -5000. Channel 0 of x is 1 and channel 1
// is the sign. Component 0 of the queries uses channel 0, and that of the keys uses
// channel 1. Component 1 gives the differences, small whole numbers. The scores are exact
// for the same reasons.
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

// d <= C except in the special cases, so a student who mixes x instead of v stays inside
// x. With d > C that crashes. As in 1.3, d = 1 does not come first.
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
    {"T=5 C=4 d=4", 1, FAR_FROM_0_NOTE, tokens_far_from_0},
    {"T=71 C=73 d=67", 1, "all sizes past 64", unit_projections},
    {"T=263 C=3 d=2", 1, "more than 256 tokens", unit_projections},
    {"T=1031 C=2 d=1", 1, "more than 1024 tokens", flat_projections, .cpu_only = true},
    {"T=3 C=1031 d=5", 1, "input wider than 1024", unit_projections},
    {"T=2 C=67 d=1031", 1, "queries wider than 1024", unit_projections},
    {.dims = "T=3 C=5 d=1", .fill = unit_projections, .note = "queries of width 1"},
    {.dims = "T=256 C=5 d=4", .fill = unit_projections, .note = "exactly 256 tokens"},
    {.dims = "T=64 C=256 d=64", .fill = unit_projections, .note = "input of width 256"},
    {.dims = "T=2 C=256 d=256", .fill = unit_projections, .note = "queries of width 256"},
    {.dims = "T=3 C=4 d=4",
     .fill = tokens_20_below,
     .note = BELOW_20_NOTE,
     .unit = 10.0f * BELOW_20_UNIT},
    {.dims = "T=0 C=3 d=2", .note = "no tokens: LAB_ESHAPE"},
    {.dims = "T=2 C=0 d=3", .note = "no input: LAB_ESHAPE"},
    {.dims = "T=2 C=3 d=0", .note = "queries of width 0: LAB_ESHAPE"},
    {.dims = "T=4 C=3 d=5",
     .note = "queries wider than the input",
     .fill = unit_projections,
     .apart = true},
    {.dims = "T=3 C=2 d=131",
     .note = "queries much wider than the input",
     .fill = unit_projections,
     .apart = true,
     .cpu_only = true},
    {.dims = "T=4 C=1 d=3",
     .fill = unit_projections,
     .note = "input of width 1",
     .apart = true},
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
            // sums in another order
            if (!(fabsf(was - is) <= 1e-4f + 1e-4f * fabsf(was))) {
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
        .claim = "a single token gives itself weight 1",
        .dims = "T=1 C=4 d=3",
        .change = swap_first_and_last_token,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "order",
        .claim = "swapping two tokens swaps their outputs and changes no other output: "
                 "attention does not depend on order",
        .dims = "T=5 C=4 d=3",
        .change = swap_first_and_last_token,
        HOLDS(outputs_are_swapped),
    },
    {0},
};

#define ATTENTION_ARGUMENTS                                                              \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        const float *x, const float *w_q, const float *w_k, const float *w_v, size_t T,  \
        size_t C, size_t d

// The right attention, projected by these weights.
#define ATTEND(for_q, for_k, for_v)                                                      \
    simple_attention(out, weights, q, k, v, scores, x, for_q, for_k, for_v, T, C, d)

// PROJECTED(name, for q, for k, for v): attention with one weight instead of another.
#define PROJECTED(name, for_q, for_k, for_v)                                             \
    static lab_status name(ATTENTION_ARGUMENTS)                                          \
    {                                                                                    \
        (void)w_q, (void)w_k, (void)w_v;                                                 \
        return ATTEND(for_q, for_k, for_v);                                              \
    }

PROJECTED(attention_swapped, w_k, w_q, w_v)
PROJECTED(attention_same_projection, w_q, w_q, w_v)
PROJECTED(attention_values_are_keys, w_q, w_k, w_k)

// Computes the second half again, from changed scores on.
static lab_status finish(float *out, float *weights, const float *scores, const float *v,
                         size_t T, size_t d)
{
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
}

// a(T,d) = 0 from column C on
static void keep_columns(float *a, size_t T, size_t C, size_t d)
{
    for (size_t i = 0; i < T * d; i++) {
        a[i] = i % d < C ? a[i] : 0.0f;
    }
}

static void scale_map(float *map, size_t T, float factor)
{
    scale(map, T * T, factor);
}

static void copy_map(float *to, const float *from, size_t T)
{
    memcpy(to, from, T * T * sizeof *to);
}

static void equal_map(float *map, size_t T)
{
    for (size_t i = 0; i < T * T; i++) {
        map[i] = 1.0f / (float)T;
    }
}

// CHANGED(name, change, rest): the right attention; then a change to what it has computed, and the
// rest again.
#define CHANGED(name, change, rest)                                                      \
    static lab_status name(ATTENTION_ARGUMENTS)                                          \
    {                                                                                    \
        LAB_TRY(ATTEND(w_q, w_k, w_v));                                                  \
        change;                                                                          \
        return rest;                                                                     \
    }
#define FROM_SCORES finish(out, weights, scores, v, T, d)
#define MIXED_BY(shares) weighted_values(out, shares, v, T, T, d)

CHANGED(attention_no_scale, scale_map(scores, T, sqrtf((float)d)), FROM_SCORES)
CHANGED(attention_root_of_C, scale_map(scores, T, sqrtf((float)d / (float)C)),
        FROM_SCORES)
CHANGED(attention_scaled_twice, scale_map(scores, T, 1.0f / sqrtf((float)d)), FROM_SCORES)
CHANGED(attention_softmax_twice, copy_map(scores, weights, T), FROM_SCORES)
CHANGED(attention_no_softmax, copy_map(weights, scores, T), MIXED_BY(weights))
CHANGED(attention_equal_weights, equal_map(weights, T), MIXED_BY(weights))
CHANGED(attention_columns, LAB_TRY(softmax_columns(weights, scores, T, T)),
        MIXED_BY(weights))
CHANGED(attention_scores_applied, (void)0, MIXED_BY(scores))

static lab_status attention_only_C_wide(ATTENTION_ARGUMENTS)
{
    LAB_TRY(ATTEND(w_q, w_k, w_v));
    keep_columns(q, T, C, d);
    keep_columns(v, T, C, d);
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    return FROM_SCORES;
}

static lab_status attention_values_are_input(ATTENTION_ARGUMENTS)
{
    if (d > C) {
        return LEAVES_ARGUMENTS;
    }
    LAB_TRY(ATTEND(w_q, w_k, w_v));
    return weighted_values(out, weights, x, T, T, d);
}

static lab_status attention_weights_read_in_out(ATTENTION_ARGUMENTS)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    LAB_TRY(matmul(q, x, w_q, T, d, C));
    LAB_TRY(matmul(k, x, w_k, T, d, C));
    LAB_TRY(matmul(v, x, w_v, T, d, C));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    return FROM_SCORES;
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
        .why = "Each of q, k and v has its own projection. If the keys equal the "
               "queries, the scores are symmetric: token 1 looks at token 2 as much as 2 "
               "looks at 1.",
        .function = LIKE(simple_attention, attention_same_projection),
    },
    {
        .id = "values-are-keys",
        .what = "the weighted sum mixes the keys, not the values",
        .why = "Keys only determine the weights. The output mixes the values, "
               "v = x w_v^T.",
        .function = LIKE(simple_attention, attention_values_are_keys),
    },
    {
        .id = "values-are-input",
        .what = "the weighted sum mixes the rows of x: w_v is never used",
        .why = "The values have their own projection, v = x w_v^T, and width d.",
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
               "back to 1. Call attention_scores, which does this.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(simple_attention, attention_no_scale),
    },
    {
        .id = "root-of-C",
        .what = "the scores are divided by sqrt(C), not by sqrt(d)",
        .why = "The dot product sums over the width d of a query, not the width C of x.",
        .source = "Graylab/DL4Proteins-notebooks#12, "
                  "FareedKhan-dev/train-llm-from-scratch#3",
        .function = LIKE(simple_attention, attention_root_of_C),
    },
    {
        .id = "only-C-wide",
        .what = "only the first C components of queries, keys and values are used",
        .why = "x has width C. Queries, keys and values have width d, which may "
               "be larger.",
        .function = LIKE(simple_attention, attention_only_C_wide),
    },
    {
        .id = "scaled-twice",
        .what = "the scores are divided by sqrt(d) twice instead of once",
        .why = "attention_scores already divides.",
        .function = LIKE(simple_attention, attention_scaled_twice),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Here the columns sum to 1, but the rows should: each query distributes "
               "its weight over the keys.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(simple_attention, attention_columns),
    },
    {
        .id = "softmax-twice",
        .what = "the softmax is applied twice instead of once",
        .why = "A second softmax, of numbers between 0 and 1, makes all weights "
               "nearly equal.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(simple_attention, attention_softmax_twice),
    },
    {
        .id = "equal-weights",
        .what = "every key has the same weight, whatever its score",
        .why = "The output is then the mean of the values. softmax_rows must read the "
               "scores that attention_scores wrote.",
        .source = NULL,
        .function = LIKE(simple_attention, attention_equal_weights),
    },
    {
        .id = "no-softmax",
        .what = "there is no softmax: the weights are the scores",
        .why = "Scores can be negative and of any size. softmax_rows turns them into "
               "weights that sum to 1.",
        .function = LIKE(simple_attention, attention_no_softmax),
    },
    {
        .id = "scores-applied",
        .what = "the weights are right, but the values are mixed with the scores",
        .why = "weighted_values takes the weights, after the softmax: out = weights v.",
        .function = LIKE(simple_attention, attention_scores_applied),
    },
    {0},
};

// Sums in float, the query scaled first.
static lab_status attention_in_float(ATTENTION_ARGUMENTS)
{
    LAB_TRY(float_product(q, by_rows(x, C), by_columns(w_q, C), T, d, C));
    scale(q, T * d, 1.0f / sqrtf((float)d));
    LAB_TRY(float_product(k, by_rows(x, C), by_columns(w_k, C), T, d, C));
    LAB_TRY(float_product(v, by_rows(x, C), by_columns(w_v, C), T, d, C));
    LAB_TRY(float_product(scores, by_rows(q, d), by_columns(k, d), T, T, d));
    LAB_TRY(softmax_by_exp2(weights, scores, T, T));
    return float_product(out, by_rows(weights, T), by_rows(v, d), T, d, T);
}

static const struct mistake attention_alternatives[] = {
    {.id = "float-sums", .function = LIKE(simple_attention, attention_in_float)},
    {0},
};

static const struct part attention_parts[] = {
    {
        .function = "simple_attention",
        .passes_status_on = true,
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
            "There is nothing new to compute. Every arrow of the handout's drawing is a "
            "function you have written. Follow it from x to out, and check every status.",
            "q = x w_q^T, k = x w_k^T, v = x w_v^T; scores = q k^T / sqrt(d); weights = "
            "softmax of each row of scores; out = weights v. Queries and keys are the "
            "same tokens, so S is T.",
            "In pseudocode, with each call in a LAB_TRY:\n"
            "    linear(q, x, w_q, NULL, T, C, d)\n"
            "    linear(k, x, w_k, NULL, T, C, d)\n"
            "    linear(v, x, w_v, NULL, T, C, d)\n"
            "    attention_scores(scores, q, k, T, T, d)\n"
            "    softmax_rows(weights, scores, T, T)\n"
            "    weighted_values(out, weights, v, T, T, d)\n"
            "    return LAB_OK",
        },
    .parts = attention_parts,
};
