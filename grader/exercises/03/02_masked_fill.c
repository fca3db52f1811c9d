// 02_masked_fill.c - exercise 3.2, masked_fill: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/common/inputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "03_causal_mask/causal.h"

// Every other score is already -INFINITY, as after an earlier mask.
static void fill_already_masked(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if (i % 2 == 1) {
            scores[i] = -INFINITY;
        }
        mask[i] = i / 2 % 2 == 0; // all four pairs of score and mask occur
    }
}

// Even the smallest matrix has an allowed and a forbidden place.
static void fill_alternating(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        mask[i] = i % 2 == 0;
    }
}

static void fill_large_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] *= 20000.0f;
    }
}

// Every second score is 0, allowed or not.
static void fill_zeros(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        case_u8(test, "mask")[i] = i % 2 == 0;
        case_f32(test, "scores")[i] *= (float)(i / 2 % 2);
    }
}

// Scores of both signs, but only the largest and infinity above 0; the smallest is still a normal float. Allowed and forbidden
// places occur at every size.
static void fill_all_magnitudes(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const float sizes[] = {1e-3f, 1e-5f, 1e-10f,  1e-30f,  1.5e-38f,
                                  1e10f, 1e30f, FLT_MAX, INFINITY};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        const float size = sizes[i / 2 % SIZES];
        scores[i] = size >= FLT_MAX ? size : copysignf(size, scores[i]);
        mask[i] = i % 2 == 0;
    }
}

// NaN, infinity and -infinity, in forbidden places.
static void fill_forbidden_not_finite(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const float values[] = {NAN, INFINITY, -INFINITY};
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        mask[i] = i % 2 == 0;
        scores[i] = mask[i] ? scores[i] : values[i / 2 % 3];
    }
}

static void fill_even(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_even(test, "scores");
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "scores", 1);
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        case_u8(test, "mask")[i] = i * 3 % 11 < 6;
    }
}

static const struct case_spec masked_fill_cases[] = {
    {.dims = "N=1 S=1"},
    {.dims = "N=1 S=2", .fill = fill_alternating},
    {.dims = "N=2 S=3", .fill = fill_alternating},
    {.dims = "N=5 S=4"},
    {.dims = "N=4 S=4", .fill = fill_alternating, .note = "N = S"},
    {.dims = "N=4 S=2",
     .fill = fill_already_masked,
     .note = "some scores are already -INFINITY"},
    {.dims = "N=2..9 S=10..17", .draws = 3},
    {.dims = "N=6 S=5", .fill = fill_large_scores, .note = "scores of +-20000"},
    {.dims = "N=4 S=7",
     .fill = fill_all_magnitudes,
     .note = "scores from +-1e-38 to +-1e30, 3.4e38 and infinity"},
    {.dims = "N=3 S=4",
     .fill = fill_forbidden_not_finite,
     .note = "forbidden scores are NaN and infinite"},
    {.dims = "N=67 S=71", .note = "all sizes past 64"},
    {.dims = "N=521 S=131", .fill = fill_even, .note = "more than 512 rows"},
    {.dims = "N=67 S=1031", .fill = fill_even, .note = "more than 1024 keys"},
    {.dims = "N=5 S=1", .note = "one key"},
    {.dims = "N=256 S=64", .fill = fill_even, .note = "exactly 256 rows"},
    {.dims = "N=64 S=256", .fill = fill_even, .note = "exactly 256 keys"},
    {.dims = "N=0 S=3", .note = "a size of 0"},
    {.dims = "N=3 S=0", .note = "a size of 0"},
    {.dims = "N=3 S=4", .fill = fill_zeros, .note = "some scores are 0"},
    {MORE_THAN_16_BITS("N=65543 S=1", repeated, "65543 rows")},
    {MORE_THAN_16_BITS("N=1 S=65543", repeated, "65543 keys")},
    {0},
};

// FILL(name, value): a masked_fill that writes value, computed from the score and the
// mask.
#define FILL(name, value)                                                                \
    static lab_status name(float *out, const float *scores, const uint8_t *mask,         \
                           size_t N, size_t S)                                           \
    {                                                                                    \
        if (N == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N * S; i++) {                                             \
            const float score = scores[i];                                               \
            const uint8_t allowed = mask[i];                                             \
            out[i] = value;                                                              \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

FILL(fill_inverted, allowed ? -INFINITY : score)
FILL(fill_minus_10000, allowed ? score : -10000.0f)
FILL(fill_minus_1e9, allowed ? score : -1e9f)
FILL(fill_smallest, allowed ? score : -FLT_MAX)
FILL(fill_zero, allowed ? score : 0.0f)
FILL(fill_multiplied, score *(float)allowed)
FILL(fill_added, score + (float)allowed)
FILL(fill_added_minus_infinity, score + (allowed ? 0.0f : -INFINITY))
FILL(fill_plus_infinity, allowed ? score : INFINITY)
FILL(fill_infinity_times_zero, score + (1.0f - (float)allowed) * -INFINITY)

static lab_status fill_everywhere(float *out, const float *scores, const uint8_t *mask,
                                  size_t N, size_t S)
{
    (void)scores, (void)mask;
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N * S; i++) {
        out[i] = -INFINITY;
    }
    return LAB_OK;
}

static lab_status fill_by_row_0(float *out, const float *scores, const uint8_t *mask,
                                size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N * S; i++) {
        out[i] = mask[i % S] ? scores[i] : -INFINITY;
    }
    return LAB_OK;
}

static const struct mistake masked_fill_mistakes[] = {
    {
        .id = "inverted",
        .what = "the allowed scores are removed and the forbidden scores are kept",
        .why = "1 in the mask means \"may attend\". PyTorch's masked_fill fills where "
               "its mask is true. In this lab, fill where the mask is 0.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(masked_fill, fill_inverted),
    },
    {
        .id = "none-allowed",
        .what = "allowed scores become -INFINITY, too",
        .why =
            "Allowed keys are marked with 1. Compare with 0, not with 255 or another number.",
        .function = LIKE(masked_fill, fill_everywhere),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores become -10000 instead of -INFINITY",
        .why = "-10000 works only if every allowed score is larger, and some models have "
               "learned to push scores below it. -INFINITY is below every score.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_fill, fill_minus_10000),
    },
    {
        .id = "minus-1e9",
        .what = "forbidden scores become -1e9 instead of -INFINITY",
        .why = "A row in which every key is forbidden then has equal scores, and its "
               "queries attend to all keys alike. -INFINITY is below every score.",
        .function = LIKE(masked_fill, fill_minus_1e9),
    },
    {
        .id = "flt-max",
        .what = "forbidden scores become -FLT_MAX instead of -INFINITY",
        .why = "A row in which every key is forbidden then has equal scores, and its "
               "queries attend to all keys alike. -INFINITY is below every score.",
        .function = LIKE(masked_fill, fill_smallest),
    },
    {
        .id = "zero",
        .what = "forbidden scores become 0 instead of -INFINITY",
        .why = "exp(0) is 1, so a score of 0 gets weight in the softmax, more than any "
               "negative score. Only exp(-INFINITY) is 0.",
        .source = "awslabs/gluonts#1401, Shujun-He/RibonanzaNet#5",
        .function = LIKE(masked_fill, fill_zero),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by the mask: forbidden scores become 0, "
                "not -INFINITY",
        .why = "This makes forbidden scores 0, and exp(0) is 1, so they get weight. "
               "Also, -INFINITY times 0 is NaN. Write -INFINITY where the mask is 0.",
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(masked_fill, fill_multiplied),
    },
    {
        .id = "added",
        .what = "the mask's 0 or 1 is added to the scores, and nothing is filled",
        .why = "A mask that you add must contain 0 and -INFINITY. This mask contains 1 "
               "and 0: it says which scores to keep.",
        .source = "bkitano/llama-from-scratch#6, mlverse/torch#1208",
        .function = LIKE(masked_fill, fill_added),
    },
    {
        .id = "added-minus-infinity",
        .what = "-INFINITY is added to forbidden scores, so NaN and INFINITY there give "
                "NaN",
        .why = "Replace the forbidden score, whatever it is: choose between the score "
               "and -INFINITY with ?: or if.",
        .function = LIKE(masked_fill, fill_added_minus_infinity),
    },
    {
        .id = "plus-infinity",
        .what = "forbidden scores become +INFINITY instead of -INFINITY",
        .why = "The sign is missing. exp(+INFINITY) is infinite, and the softmax becomes "
               "NaN. Write -INFINITY.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(masked_fill, fill_plus_infinity),
    },
    {
        .id = "infinity-times-zero",
        .what = "allowed scores become NaN, because 0 was multiplied by infinity",
        .why = "0 * INFINITY is NaN, not 0. Choose between the score and -INFINITY with "
               "?: or if. Don't compute with the mask.",
        .source = NULL,
        .function = LIKE(masked_fill, fill_infinity_times_zero),
    },
    {
        .id = "mask-of-row-0",
        .what = "every row is masked with row 0 of the mask, not with its own",
        .why = "The mask has a row for each row of the scores: mask[n * S + s], not "
               "mask[s].",
        .function = LIKE(masked_fill, fill_by_row_0),
    },
    {0},
};

static lab_status fill_copy_then_strike(float *out, const float *scores,
                                        const uint8_t *mask, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    memcpy(out, scores, N * S * sizeof *out);
    for (size_t i = 0; i < N * S; i++) {
        if (mask[i] == 0) {
            out[i] = -(float)INFINITY;
        }
    }
    return LAB_OK;
}

static const struct mistake masked_fill_alternatives[] = {
    {.id = "copy-then-strike", .function = LIKE(masked_fill, fill_copy_then_strike)},
    {0},
};

static const struct part masked_fill_part[] = {
    {
        .function = "masked_fill",
        .dims = "N S",
        .tensors =
            {
                {"out", "N S", OUTPUT, F32, 0, 0}, // copied, never computed
                {"scores", "N S", INPUT, F32, 0, 0},
                {"mask", "N S", INPUT, U8, 0, 0},
            },
        .cases = masked_fill_cases,
        .mistakes = masked_fill_mistakes,
        .alternatives = masked_fill_alternatives,
    },
    {0},
};

const struct exercise exercise_3_2 = {
    .id = "3.2",
    .name = "masked_fill",
    .section = "3.2 Filling with -INFINITY",
    .hints =
        {
            "Look at one element at a time: keep the score or replace it.",
            "out[i] is scores[i] where mask[i] is 1 and -INFINITY (from math.h) "
            "where it is 0. Do not multiply: 0 * INFINITY is NaN.",
            "for each i below N * S:\n"
            "    out[i] = mask[i] ? scores[i] : -INFINITY",
        },
    .parts = masked_fill_part,
};
