// 05_attention_without_projections.c - exercise 7.5: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07_positional_encoding/positions.h"

// BEGIN HANDED OUT
// Absolute and relative. Together they stay below 1e-5, to reject a weight of
// 1 / (1 + 1e-5) instead of 1.
#define WEIGHTS_TOLERANCE 5e-6f, 4e-6f
#define OUT_TOLERANCE 1e-5f, 1e-4f
// END HANDED OUT

// The last token repeats the first: their rows of the result must be equal.
static void fill_repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x");
    memcpy(x + (T - 1) * C, x, C * sizeof *x);
}

// The product of a wide token with itself is large, and so is its rounding error. Halving every
// number divides both by 4.
static void fill_halves(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] *= 0.5f;
    }
}

// Whole numbers, so that with C = 16 every way of computing the scores is exact.
static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = rintf(8.0f * x[i]);
    }
}

// The last token is 32 times the first, so the first is far more similar to it than to itself: a softmax
// that subtracts the score of the token itself overflows.
static void fill_longer(struct test_case *test, struct lab_rng *rng)
{
    fill_large(test, rng);
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x");
    for (size_t c = 0; c < C; c++) {
        x[(T - 1) * C + c] = 32.0f * x[c];
    }
}

// The scores of token 0 are 1 and 1 - below.
static void fill_below(struct test_case *test, float below)
{
    case_f32(test, "x")[0] = 1.0f;
    case_f32(test, "x")[1] = 1.0f - below;
}

// Scores near 0 and equal weights, or scores far apart. All scores are powers of two (9 + 4 + 1 + 1 + 1 is 16): multiplied
// by any scale they are exact, so that fmaf(score, scale, -largest) is 0 for the largest.
static void fill_size(struct test_case *test, float size)
{
    static const float row[] = {3, 2, 1, 1, 1};
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = row[i % 5] * (float)(1 + i / 5) * size;
    }
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_size(test, 0x1p-60f);
}

static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_size(test, 0x1p50f);
}

static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_below(test, 20.0f);
}

static void fill_80_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_below(test, 80.0f);
}

static const struct case_spec attention_cases[] = {
    {.dims = "T=1 C=3", .note = "one token sees only itself"},
    {.dims = "T=2 C=3"},
    {.dims = "T=3 C=2", .draws = 2},
    {.dims = "T=4 C=4", .note = "as many tokens as channels"},
    {.dims = "T=4 C=5",
     .fill = fill_repeated,
     .note = "the first and last token are equal"},
    {.dims = "T=5..8 C=9..14", .draws = 3},
    {.dims = "T=6 C=32",
     .fill = fill_repeated,
     .note = "the first and last token are equal"},
    {.dims = "T=9 C=4"},
    {.dims = "T=4 C=16", .fill = fill_large, .note = "large inputs: scores above 88"},
    {.dims = "T=3 C=16",
     .fill = fill_longer,
     .note = "the last token is 32 times the first"},
    {.dims = "T=17 C=24"},
    {.dims = "T=7 C=1", .note = "one channel"},
    {.dims = "T=16 C=16", .fill = fill_large, .note = "large inputs: scores above 88"},
    {.dims = "T=3 C=1031"},
    {.dims = "T=1031 C=2",
     .fill = fill_halves,
     .cpu_only = true,
     .note = "more than 1024 tokens"},
    {.dims = "T=131 C=3"},
    {.dims = "T=67 C=131", .fill = fill_halves, .note = "larger, odd sizes"},
    {.dims = "T=261 C=65", .fill = fill_halves, .note = "larger, odd sizes"},
    {.dims = "T=256 C=4", .fill = fill_halves, .note = "exactly 256 tokens"},
    {.dims = "T=3 C=256", .fill = fill_halves, .note = "exactly 256 channels"},
    {.dims = "T=64 C=64", .fill = fill_halves, .note = "T = C = 64"},
    {.dims = "T=0 C=3", .note = "a size of 0"},
    {.dims = "T=3 C=0", .note = "a size of 0"},
    {.dims = "T=2 C=5", .fill = fill_tiny, .note = "numbers near 1e-18", .unit = 1e-20f},
    {.dims = "T=2 C=5", .fill = fill_huge, .note = "numbers near 1e15", .unit = 1e-20f},
    {.dims = "T=2 C=1",
     .fill = fill_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "T=2 C=1",
     .fill = fill_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {0},
};

// BEGIN HANDED OUT
// Token t of the second case is token moved(t) of the first. T is odd, so that every token
// is taken once.
static size_t moved(const struct test_case *test, size_t t)
{
    return (2 * t + 1) % case_dim(test, "T");
}
// END HANDED OUT

static void permute(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float old[64];
    const size_t T = case_dim(second, "T"), C = case_dim(second, "C");
    float *x = case_f32(second, "x");
    memcpy(old, x, T * C * sizeof *x); // T * C <= 64
    for (size_t t = 0; t < T; t++) {
        memcpy(x + t * C, old + moved(second, t) * C, C * sizeof *x);
    }
}

// BEGIN HANDED OUT
// Any two correct results differ by at most half the tolerance, because each
// is within a quarter of it.
static bool alike(float a, float b, float atol, float rtol)
{
    return fabsf(a - b) <= atol + rtol * fabsf(a);
}

static bool permuted_alike(const struct test_case *first, const struct test_case *second,
                           char *why, size_t why_size)
{
    const size_t T = case_dim(first, "T"), C = case_dim(first, "C");
    const float *weights_1 = case_got(first, "weights"),
                *weights_2 = case_got(second, "weights");
    const float *out_1 = case_got(first, "out"), *out_2 = case_got(second, "out");
    for (size_t i = 0; i < T * T; i++) {
        const size_t t = i / T, s = i % T, from_t = moved(first, t),
                     from_s = moved(first, s);
        const float was = weights_1[from_t * T + from_s];
        if (!alike(was, weights_2[i], WEIGHTS_TOLERANCE)) {
            snprintf(why, why_size,
                     "tokens %zu and %zu moved to positions %zu and %zu, and their "
                     "weight went from %.6g to %.6g; expected the same weight",
                     from_t, from_s, t, s, (double)was, (double)weights_2[i]);
            return false;
        }
    }
    for (size_t i = 0; i < T * C; i++) {
        const size_t t = i / C, from = moved(first, t);
        const float was = out_1[from * C + i % C];
        if (!alike(was, out_2[i], OUT_TOLERANCE)) {
            snprintf(why, why_size,
                     "token %zu moved to position %zu, and its output in channel %zu "
                     "went from %.6g to %.6g; expected the same output",
                     from, t, i % C, (double)was, (double)out_2[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

// Changes the tokens but no score; the first and the last token stay equal.
static void negate(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(second, "x");
    for (size_t i = 0; i < case_count(second, "x"); i++) {
        x[i] = -x[i];
    }
}

// BEGIN HANDED OUT
static bool equal_rows(const struct test_case *test, const char *output, float atol,
                       float rtol, char *why, size_t why_size)
{
    const float *values = case_got(test, output);
    const size_t T = case_dim(test, "T"), width = case_count(test, output) / T;
    const float *last = values + (T - 1) * width;
    for (size_t i = 0; i < width; i++) {
        if (!alike(values[i], last[i], atol, rtol)) {
            snprintf(why, why_size,
                     "tokens 0 and %zu are equal, but %s[0][%zu] is %.6g and "
                     "%s[%zu][%zu] is %.6g; expected equal numbers",
                     T - 1, output, i, (double)values[i], output, T - 1, i,
                     (double)last[i]);
            return false;
        }
    }
    return true;
}

static bool equal_tokens_alike(const struct test_case *first,
                               const struct test_case *second, char *why, size_t why_size)
{
    return equal_rows(first, "weights", WEIGHTS_TOLERANCE, why, why_size) &&
           equal_rows(first, "out", OUT_TOLERANCE, why, why_size) &&
           equal_rows(second, "weights", WEIGHTS_TOLERANCE, why, why_size) &&
           equal_rows(second, "out", OUT_TOLERANCE, why, why_size);
}
// END HANDED OUT

static const struct property attention_properties[] = {
    {
        .id = "permutation",
        .claim = "permuting the tokens permutes the outputs and changes nothing else",
        .dims = "T=7 C=5",
        .change = permute,
        HOLDS(permuted_alike),
    },
    {
        .id = "equal-tokens",
        .claim = "equal tokens get equal weights and equal outputs at any position",
        .dims = "T=5 C=6",
        .fill = fill_repeated,
        .change = negate,
        HOLDS(equal_tokens_alike),
    },
    {0},
};

enum fault {
    NO_SCALE,
    OVER_C,
    SQRT_T,
    TIMES_ROOT,
    COLUMNS,
    NO_MAX,
    UNNORMALIZED,
    CAUSAL,
    NOT_ITSELF,
    SCORES_APPLIED,
    OUT_TRANSPOSED,
    NOT_TRANSPOSED,
    RIGHT_IN_FLOAT,
};

static double score_divisor(enum fault fault, size_t T, size_t C)
{
    switch (fault) {
    case NO_SCALE:
        return 1;
    case OVER_C:
        return (double)C;
    case SQRT_T:
        return sqrt((double)T);
    case TIMES_ROOT:
        return 1 / sqrt((double)C);
    default:
        return sqrt((double)C);
    }
}

// The softmax of n numbers that are stride apart; -INFINITY gets 0, a row of them zeros.
static void softmax(enum fault fault, float *w, const float *scores, size_t n,
                    size_t stride)
{
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        max = fmaxf(max, scores[i * stride]);
    }
    if (fault == NO_MAX || max == -INFINITY) {
        max = 0;
    }
    for (size_t i = 0; i < n; i++) {
        w[i * stride] = expf(scores[i * stride] - max);
        sum += w[i * stride];
    }
    for (size_t i = 0; i < n && fault != UNNORMALIZED && sum > 0; i++) {
        w[i * stride] /= sum;
    }
}

static lab_status attend(enum fault fault, float *out, float *weights, float *scores,
                         const float *x, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            float sum = 0;
            for (size_t c = 0; c < C; c++) {
                sum += x[t * C + c] * x[fault == NOT_TRANSPOSED ? c * T + s : s * C + c];
            }
            const bool hidden =
                (fault == CAUSAL && s > t) || (fault == NOT_ITSELF && s == t);
            scores[t * T + s] =
                hidden ? -INFINITY : (float)((double)sum / score_divisor(fault, T, C));
        }
    }
    for (size_t t = 0; t < T; t++) {
        if (fault == COLUMNS) {
            softmax(fault, weights + t, scores + t, T, T);
        } else {
            softmax(fault, weights + t * T, scores + t * T, T, 1);
        }
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            float sum = 0;
            for (size_t s = 0; s < T; s++) {
                const float weight = fault == SCORES_APPLIED   ? scores[t * T + s]
                                     : fault == OUT_TRANSPOSED ? weights[s * T + t]
                                                               : weights[t * T + s];
                sum += weight * x[s * C + c];
            }
            out[t * C + c] = sum;
        }
    }
    return LAB_OK;
}

#define ATTEND(name, fault)                                                              \
    static lab_status name(float *out, float *weights, float *scores, const float *x,    \
                           size_t T, size_t C)                                           \
    {                                                                                    \
        return attend(fault, out, weights, scores, x, T, C);                             \
    }

ATTEND(attend_no_scale, NO_SCALE)
ATTEND(attend_over_C, OVER_C)
ATTEND(attend_sqrt_T, SQRT_T)
ATTEND(attend_times_root, TIMES_ROOT)
ATTEND(attend_columns, COLUMNS)
ATTEND(attend_not_transposed, NOT_TRANSPOSED)
ATTEND(attend_no_max, NO_MAX)
ATTEND(attend_unnormalized, UNNORMALIZED)
ATTEND(attend_causal, CAUSAL)
ATTEND(attend_not_itself, NOT_ITSELF)
ATTEND(attend_scores_applied, SCORES_APPLIED)
ATTEND(attend_out_transposed, OUT_TRANSPOSED)
ATTEND(attend_in_float, RIGHT_IN_FLOAT)

static const struct mistake attention_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(C)",
        .why = "A token's product with itself is about C. Without the scale, each token "
               "gives itself nearly all the weight.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(attention_without_projections, attend_no_scale),
    },
    {
        .id = "over-C",
        .what = "the scores are divided by C instead of sqrt(C)",
        .why = "The root is missing: sqrtf((float)C).",
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(attention_without_projections, attend_over_C),
    },
    {
        .id = "sqrt-T",
        .what = "the scores are divided by sqrt(T) instead of sqrt(C)",
        .why = "The scale depends on the width of the vectors, C, not on their number.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(attention_without_projections, attend_sqrt_T),
    },
    {
        .id = "times-root",
        .what = "the scores are multiplied by sqrt(C) instead of divided by it",
        .why = "The scale is 1 / sqrt(C).",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_without_projections, attend_times_root),
    },
    {
        .id = "not-transposed",
        .what = "the scores are the product of x with x as (C,T), not with x transposed",
        .why = "scores[t][s] is the dot product of rows t and s: x x^T, as matmul_nt and "
               "attention_scores compute it.",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_not_transposed),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns",
        .why =
            "Each row belongs to one query and must sum to 1 over the keys. The scores "
            "are symmetric here, so the mistake shows only in the sums of the rows.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(attention_without_projections, attend_columns),
    },
    {
        .id = "no-max",
        .what = "the largest score is not subtracted before exp",
        .why =
            "A token's product with itself can be large. Above 88.7 exp overflows, and "
            "inf/inf is NaN.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_without_projections, attend_no_max),
    },
    {
        .id = "unnormalized",
        .what = "the exponentials are not divided by their sum",
        .why = "Every row of weights must sum to 1.",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_unnormalized),
    },
    {
        .id = "causal",
        .what = "later tokens are hidden: this is causal attention",
        .why = "Here every token sees every token. (A mask distinguishes positions, and "
               "this exercise is about attention that cannot distinguish them.)",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_causal),
    },
    {
        .id = "not-itself",
        .what = "no token sees itself",
        .why = "The diagonal is part of the softmax like every other score.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(attention_without_projections, attend_not_itself),
    },
    {
        .id = "scores-applied",
        .what = "the values are multiplied by the scores, not by the weights",
        .why = "out = weights x: the softmax comes before the sum.",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_scores_applied),
    },
    {
        .id = "out-transposed",
        .what = "out uses the columns of the weights",
        .why = "out[t] is the sum over s of weights[t][s] x[s]: row t of the weights.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(attention_without_projections, attend_out_transposed),
    },
    {0},
};

static const struct mistake attention_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_without_projections, attend_in_float)},
    {0},
};

static const struct part attention_part[] = {
    {
        .function = "attention_without_projections",
        .passes_status_on = true,
        .dims = "T C",
        .tensors =
            {
                {"out", "T C", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "T T", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "T T", WORKSPACE, F32, 0, 0},
                {"x", "T C", INPUT, F32, 0, 0},
            },
        .cases = attention_cases,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

const struct exercise exercise_7_5 = {
    .id = "7.5",
    .name = "attention_without_projections",
    .section = "7.5 Attention without projections",
    .uses = {"1.3", "1.4", "1.5"},
    .hints =
        {
            "You wrote all three functions in lab 1. What are the queries, the keys and "
            "the values here?",
            "attention_scores with q = k = x (and T keys), softmax_rows, weighted_values "
            "with v = x. LAB_TRY returns the status of a call that fails.",
            "attention_scores(scores, x, x, T, T, C)\n"
            "softmax_rows(weights, scores, T, T)\n"
            "weighted_values(out, weights, x, T, T, C)\n"
            "each call in LAB_TRY; return LAB_OK",
        },
    .parts = attention_part,
};
