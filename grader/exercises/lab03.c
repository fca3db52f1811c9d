// lab03.c - what the grader knows of lab 3, the causal mask.
//
// Large cases (past 64, 256 and 512, an output of more than 65536 numbers among them) bring
// fixed buffers, narrow types and windows to light. Start reading at causal_mask_part; the order is: adaptors, then for each exercise its cases,
// mistakes, other right ways, and the part that gathers them.

#include "exercises/exercise.h"

#include "03_causal_mask/causal.h"
#ifdef GPU
#include "03_causal_mask/causal_gpu.h"
#endif

GPU_ADAPTOR(causal_mask, t[0], n[0], n[1])
ADAPTOR(masked_fill, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR(masked_softmax, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR_CUBLAS(causal_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8],
                   t[9], t[10], n[0], n[1], n[2])
ADAPTOR(padding_mask, t[0], t[1], n[0], n[1])
ADAPTOR(combine_masks, t[0], t[1], t[2], n[0], n[1], n[2])

const struct entry lab_entries[] = {
    GPU_ENTRY(causal_mask),
    ENTRY(masked_fill),
    GPU_ENTRY(masked_softmax),
    GPU_ENTRY(causal_attention),
    ENTRY(padding_mask),
    ENTRY(combine_masks),
    {0},
};

#ifndef WORKER

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rng.h"

// ---- 3.1 causal_mask ----------------------------------------------------------------------

// Every size pair below is judged exactly; a tolerance has no meaning for zeros and ones.
static const struct case_spec causal_mask_cases[] = {
    {.dims = "T=1 S=1"},
    {.dims = "T=2 S=2", .note = "T = S, the usual triangle"},
    {.dims = "T=3 S=3", .note = "T = S, the usual triangle"},
    {.dims = "T=1 S=4", .note = "one query after a past: it sees every key"},
    {.dims = "T=2 S=5", .note = "T < S: the last query sees every key"},
    {.dims = "T=5 S=2", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=4 S=1", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=7 S=7", .note = "T = S, the usual triangle"},
    {.dims = "T=2..6 S=7..13",
     .draws = 3,
     .note = "T < S: the last query sees every key"},
    {.dims = "T=8..14 S=2..7",
     .draws = 3,
     .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=33 S=33", .note = "T = S, the usual triangle"},
    {.dims = "T=67 S=71", .note = "T < S: the last query sees every key"},
    {.dims = "T=71 S=67", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=131 S=131", .note = "T = S, the usual triangle"},
    {.dims = "T=1 S=521", .note = "one query after a past: it sees every key"},
    {.dims = "T=521 S=1", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=131 S=521", .note = "T < S: the last query sees every key"},
    {.dims = "T=521 S=131", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=0 S=3", .note = "a size of 0"},
    {.dims = "T=3 S=0", .note = "a size of 0"},
    {0},
};

// MASK(name, condition): a causal_mask that allows what the condition on t, s, T and S allows.
#define MASK(name, condition)                                                            \
    static lab_status name(uint8_t *mask, size_t T, size_t S)                            \
    {                                                                                    \
        if (T == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t t = 0; t < T; t++) {                                                 \
            for (size_t s = 0; s < S; s++) {                                             \
                mask[t * S + s] = condition;                                             \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

MASK(mask_upside_down, s + T >= t + S)
MASK(mask_without_diagonal, s + T < t + S)
MASK(mask_sees_next, s + T <= t + S + 1)
MASK(mask_from_the_start, s <= t)
MASK(mask_start_for_short_past, s <= t + (S > T ? S - T : 0))
MASK(mask_inverted, s + T > t + S)
MASK(mask_unsigned, s <= t + (S - T)) // wraps around when T > S
MASK(mask_all_ones, true)

// The right rule, written into a (S, T) matrix.
static lab_status mask_transposed(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[s * T + t] = s + T <= t + S;
        }
    }
    return LAB_OK;
}

static const struct mistake causal_mask_mistakes[] = {
    {
        .id = "upside-down",
        .what = "the mask is upside down: it allows the upper triangle",
        .why = "Each query now sees itself and the future, and nothing of the past. Row "
               "t is the query, column s the key; allow s <= t, not s >= t.",
        .source = "rasbt/LLMs-from-scratch#1061, lucidrains/x-transformers#164",
        .function = LIKE(causal_mask, mask_upside_down),
    },
    {
        .id = "diagonal-excluded",
        .what = "the mask forbids each query its own position",
        .why = "The comparison is < where it should be <=. The first token then has "
               "nothing to look at at all.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(causal_mask, mask_without_diagonal),
    },
    {
        .id = "sees-next",
        .what =
            "the mask allows each query one key too many, the one after its own position",
        .why = "The diagonal is off by one. A model trained this way reads the token it "
               "should predict.",
        .source = "TransformerLensOrg/TransformerLens#284",
        .function = LIKE(causal_mask, mask_sees_next),
    },
    {
        .id = "aligned-at-start",
        .what = "the mask aligns query 0 with key 0 even when there are more keys than "
                "queries",
        .why = "With T < S the queries are the last T of S positions: query t stands at "
               "position t + (S - T), and the last query sees every key.",
        .source = "NVIDIA/cutlass#2336, Dao-AILab/flash-attention#517",
        .function = LIKE(causal_mask, mask_from_the_start),
    },
    {
        .id = "aligned-at-start-when-longer",
        .what = "with T > S the mask is aligned at the start, not at the end",
        .why = "S - T was kept from going below zero. The last query must still meet "
               "the last key: the first T - S queries see nothing.",
        .source = "ml-explore/mlx#2967",
        .function = LIKE(causal_mask, mask_start_for_short_past),
    },
    {
        .id = "transposed",
        .what = "the mask is transposed: keys down, queries across",
        .why = "The mask is (T, S): row t is the query, column s the key, and its "
               "element is mask[t * S + s].",
        .source = "charlesfrye/panndas#6",
        .function = LIKE(causal_mask, mask_transposed),
    },
    {
        .id = "inverted",
        .what = "0 and 1 are exchanged: the mask marks what is forbidden",
        .why = "Here 1 means \"may attend\". Some libraries mark the forbidden keys "
               "instead; this lab does not.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(causal_mask, mask_inverted),
    },
    {
        .id = "unsigned-wrap",
        .what = "with T > S the mask allows the first T - S queries everything instead "
                "of nothing",
        .why = "S - T is a size_t and cannot be negative: it wraps around to a huge "
               "number. Add T to the other side of the comparison instead: s + T <= t + "
               "S.",
        .source = NULL,
        .function = LIKE(causal_mask, mask_unsigned),
    },
    {
        .id = "all-ones",
        .what = "the mask allows every query every key",
        .why = "A mask of ones forbids nothing; the future is visible.",
        .source = "paiml/entrenar#310",
        .function = LIKE(causal_mask, mask_all_ones),
    },
    {0},
};

// Zeros, then one run of ones for each query.
static lab_status mask_by_runs(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    memset(mask, 0, T * S);
    for (size_t t = T > S ? T - S : 0; t < T; t++) {
        memset(mask + t * S, 1, t + S - T + 1);
    }
    return LAB_OK;
}

static lab_status mask_signed(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    long offset = (long)S - (long)T;
    for (long t = 0; t < (long)T; t++) {
        for (long s = 0; s < (long)S; s++) {
            *mask++ = s <= t + offset ? 1 : 0;
        }
    }
    return LAB_OK;
}

static const struct mistake causal_mask_alternatives[] = {
    {.id = "runs-of-ones", .function = LIKE(causal_mask, mask_by_runs)},
    {.id = "signed-offset", .function = LIKE(causal_mask, mask_signed)},
    {0},
};

static const struct part causal_mask_part[] = {
    {
        .function = "causal_mask",
        .dims = "T S",
        .tensors = {{"mask", "T S", OUTPUT, U8, 0, 0}},
        .cases = causal_mask_cases,
        .mistakes = causal_mask_mistakes,
        .alternatives = causal_mask_alternatives,
    },
    {0},
};

// ---- 3.2 masked_fill ----------------------------------------------------------------------

// Every other score is -INFINITY already, as after an earlier mask.
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

// Both kinds of place occur even in the smallest matrix.
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

// Of either sign; the least is still a normal float. Both kinds of place occur at every size.
static void fill_all_magnitudes(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const float sizes[] = {1e-3f, 1e-5f, 1e-10f, 1e-30f, 1.5e-38f, 1e10f, 1e30f};
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = copysignf(sizes[i / 2 % 7], scores[i]);
        mask[i] = i % 2 == 0;
    }
}

static const struct case_spec masked_fill_cases[] = {
    {.dims = "N=1 S=1"},
    {.dims = "N=1 S=2", .fill = fill_alternating},
    {.dims = "N=2 S=3", .fill = fill_alternating},
    {.dims = "N=5 S=4"},
    {.dims = "N=4 S=2",
     .fill = fill_already_masked,
     .note = "some scores are -INFINITY already"},
    {.dims = "N=2..9 S=10..17", .draws = 3},
    {.dims = "N=6 S=5", .fill = fill_large_scores, .note = "scores of +-20000"},
    {.dims = "N=4 S=7",
     .fill = fill_all_magnitudes,
     .note = "scores from +-1e-38 to +-1e30"},
    {.dims = "N=67 S=71", .note = "all sizes past 64"},
    {.dims = "N=521 S=131", .note = "more than 512 rows"},
    {.dims = "N=131 S=521", .note = "more than 512 keys"},
    {.dims = "N=0 S=3", .note = "a size of 0"},
    {.dims = "N=3 S=0", .note = "a size of 0"},
    {0},
};

// FILL(name, value): a masked_fill that writes value, made of the score and the mask's 0 or 1.
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
FILL(fill_zero, allowed ? score : 0.0f)
FILL(fill_multiplied, score *(float)allowed)
FILL(fill_added, score + (float)allowed)
FILL(fill_plus_infinity, allowed ? score : INFINITY)
FILL(fill_infinity_times_zero, score + (1.0f - (float)allowed) * -INFINITY)
FILL(fill_adding_infinity, score + (allowed ? 0.0f : -INFINITY))

static const struct mistake masked_fill_mistakes[] = {
    {
        .id = "inverted",
        .what = "the allowed scores are removed and the forbidden ones kept",
        .why = "1 in the mask means \"may attend\". PyTorch's masked_fill fills where "
               "its mask is true; this one fills where the mask is 0.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(masked_fill, fill_inverted),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores become -10000 instead of -INFINITY",
        .why = "-10000 is only small as long as every allowed score is larger; trained "
               "models have learned to get below it. -INFINITY is below everything.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_fill, fill_minus_10000),
    },
    {
        .id = "zero",
        .what = "forbidden scores become 0 instead of -INFINITY",
        .why = "exp(0) is 1: in the softmax a score of 0 has weight like any other, and "
               "more than every negative one. Only exp(-INFINITY) is 0.",
        .source = "awslabs/gluonts#1401, Shujun-He/RibonanzaNet#5",
        .function = LIKE(masked_fill, fill_zero),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by the mask: forbidden ones become 0, not "
                "-INFINITY",
        .why = "That makes forbidden scores 0, and exp(0) is 1, so they keep their "
               "weight; and -INFINITY times 0 is NaN. Write -INFINITY where the mask is "
               "0.",
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(masked_fill, fill_multiplied),
    },
    {
        .id = "added",
        .what = "the mask's 0 or 1 is added to the scores, and nothing is filled",
        .why = "An added mask must hold 0 and -INFINITY. This one holds 1 and 0: it "
               "says which scores to keep.",
        .source = "bkitano/llama-from-scratch#6, mlverse/torch#1208",
        .function = LIKE(masked_fill, fill_added),
    },
    {
        .id = "plus-infinity",
        .what = "forbidden scores become +INFINITY instead of -INFINITY",
        .why =
            "The sign is missing: exp(+INFINITY) is infinite and the softmax NaN. Write "
            "-INFINITY.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(masked_fill, fill_plus_infinity),
    },
    {
        .id = "infinity-times-zero",
        .what = "allowed scores become NaN, because 0 was multiplied by infinity",
        .why = "0 * INFINITY is NaN, not 0. Choose between the score and -INFINITY with "
               "?: or if instead of computing with the mask.",
        .source = NULL,
        .function = LIKE(masked_fill, fill_infinity_times_zero),
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
    {.id = "adding-infinity", .function = LIKE(masked_fill, fill_adding_infinity)},
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

// ---- 3.3 masked_softmax -------------------------------------------------------------------

// Every row has an allowed and, with more than one key, a forbidden key. What happens to a row
// without an allowed key has cases of its own.
static void fill_mixed_rows(struct test_case *test, struct lab_rng *rng)
{
    size_t N = case_dim(test, "N"), S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t n = 0; n < N; n++) {
        size_t allowed = lab_rng_next32(rng) % S;
        mask[n * S + (allowed + 1) % S] = 0;
        mask[n * S + allowed] = 1;
    }
}

static void fill_all_allowed(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    memset(case_u8(test, "mask"), 1, case_count(test, "mask"));
}

// The first row sees nothing, as under a causal mask with T > S.
static void fill_first_row_masked(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    memset(case_u8(test, "mask"), 0, case_dim(test, "S"));
}

static void fill_all_masked(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    memset(case_u8(test, "mask"), 0, case_count(test, "mask"));
}

// Scores far from zero whose differences are ordinary: only the difference may matter.
static void shift_scores(struct test_case *test, float by)
{
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] += by;
    }
}

static void fill_far_below(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    shift_scores(test, -20000.0f);
}

static void fill_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    shift_scores(test, 20000.0f);
}

// Whole numbers: at 1e7 floats are exactly those.
static void whole_steps_from(struct test_case *test, float base)
{
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = base + rintf(2.0f * scores[i]);
    }
}

static void fill_millions_below(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    whole_steps_from(test, -1e7f);
}

static void fill_millions_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    whole_steps_from(test, 1e7f);
}

// The first, the last or the middle key of each row is allowed and 2000 above the rest. A
// maximum that misses it makes exp overflow, in double too.
static void fill_one_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    size_t S = case_dim(test, "S");
    const size_t place[] = {0, S - 1, S / 2};
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_f32(test, "scores")[n * S + place[n % 3]] += 2000.0f;
        case_u8(test, "mask")[n * S + place[n % 3]] = 1;
    }
}

// One allowed score above many, by 11 in row 0 and by 1.5 more in each later row: the many are
// next to nothing one by one, and take a visible share together. Every eighth is forbidden.
static void fill_small_terms(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        size_t n = i / S, s = i % S;
        scores[i] = 0.25f * scores[i] - 11.0f - 1.5f * (float)n;
        mask[i] = s % 8 != 3;
        if (s == 37 * n % S) {
            scores[i] = 0.0f;
            mask[i] = 1;
        }
    }
}

// Key 2, or the last, is the only one allowed.
static void fill_one_allowed(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        mask[i] = i % S == (i / S % 2 == 0 ? 2 : S - 1);
    }
}

// Unmasked, the forbidden keys take all the weight. They are no larger than that because a
// softmax over all keys, masked and divided again, is right as long as nothing underflows.
static void fill_forbidden_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    float *scores = case_f32(test, "scores");
    const uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] += mask[i] ? 0.0f : 20.0f;
    }
}

// Whole numbers from -12 to 0: the smallest share is e^-12 = 6e-6, and right to its own five
// digits.
static void fill_small_shares(struct test_case *test, struct lab_rng *rng)
{
    fill_all_allowed(test, rng);
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = -(float)(i * 5 % 13);
    }
}

static const struct special_case masked_softmax_special[] = {
    {.dims = "N=3 S=13",
     .note = "small shares",
     .fill = fill_small_shares,
     .unit = 1e-6f},
    {0},
};

static const struct case_spec masked_softmax_cases[] = {
    {.dims = "N=1 S=1", .fill = fill_all_allowed, .note = "one key: its weight is 1"},
    {.dims = "N=1 S=2", .fill = fill_mixed_rows},
    {.dims = "N=1 S=3", .fill = fill_mixed_rows},
    {.dims = "N=2 S=3", .fill = fill_mixed_rows},
    {.dims = "N=3 S=2", .fill = fill_all_allowed, .note = "every key allowed"},
    {.dims = "N=1 S=4",
     .fill = fill_all_masked,
     .note = "no key allowed: weights are zeros"},
    {.dims = "N=3 S=4",
     .fill = fill_first_row_masked,
     .note = "row 0 has no allowed key"},
    {.dims = "N=3 S=5", .fill = fill_far_below, .note = "scores near -20000"},
    {.dims = "N=4 S=5", .fill = fill_far_above, .note = "scores near +20000"},
    {.dims = "N=4 S=6",
     .fill = fill_forbidden_above,
     .note = "forbidden scores are 20 larger"},
    {.dims = "N=7 S=4", .fill = fill_mixed_rows},
    {.dims = "N=2..9 S=10..19", .draws = 3, .fill = fill_mixed_rows},
    {.dims = "N=13 S=67", .fill = fill_mixed_rows},
    {.dims = "N=3 S=5",
     .fill = fill_millions_below,
     .note = "whole numbers near -10000000"},
    {.dims = "N=4 S=5",
     .fill = fill_millions_above,
     .note = "whole numbers near +10000000"},
    {.dims = "N=6 S=5",
     .fill = fill_one_far_above,
     .note = "one score of each row far above the rest"},
    {.dims = "N=3 S=521",
     .fill = fill_one_far_above,
     .note = "one score of each row far above the rest"},
    {.dims = "N=4 S=129", .fill = fill_small_terms, .note = "many small terms"},
    {.dims = "N=67 S=71", .fill = fill_mixed_rows, .note = "all sizes past 64"},
    {.dims = "N=521 S=131", .fill = fill_mixed_rows, .note = "more than 512 rows"},
    {.dims = "N=131 S=521", .fill = fill_mixed_rows, .note = "more than 512 keys"},
    {.dims = "N=0 S=3", .note = "a size of 0"},
    {.dims = "N=3 S=0", .note = "a size of 0"},
    {0},
};

// Forbidden scores change sign and grow.
static void change_forbidden(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(second, "scores");
    const uint8_t *mask = case_u8(second, "mask");
    for (size_t i = 0; i < case_count(second, "scores"); i++) {
        if (mask[i] == 0) {
            scores[i] *= -3.0f;
        }
    }
}

// BEGIN HANDED OUT
// Absolute and relative tolerance of the outputs that have properties.
#define SOFTMAX_TOLERANCE 1e-6f, 5e-6f // weights of 3.3
#define WEIGHTS_TOLERANCE 1e-6f, 1e-4f // weights of 3.4
#define OUT_TOLERANCE 1e-5f, 1e-4f     // out of 3.4

// As it was, to within rounding: a softmax over all keys, masked and divided again, is right,
// and its forbidden keys take part in the rounding. Other right ways keep to a quarter of the
// tolerance (judge/margins.h), and so must a change.
static bool stays(float before, float after, float atol, float rtol)
{
    return fabsf(after - before) <= 0.25f * (atol + rtol * fabsf(before));
}

// A forbidden key's weight is 0 itself, not a small number.
static bool forbidden_weigh_nothing(const struct test_case *test, char *why,
                                    size_t why_size)
{
    const uint8_t *mask = case_u8((struct test_case *)test, "mask"); // only read
    const float *weights = case_got(test, "weights");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        if (mask[i] == 0 && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "key %zu is forbidden to row %zu, and weights[%zu][%zu] is %.9g, "
                     "not 0",
                     i % S, i / S, i / S, i % S, (double)weights[i]);
            return false;
        }
    }
    return true;
}

static bool forbidden_do_not_matter(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    if (!forbidden_weigh_nothing(first, why, why_size) ||
        !forbidden_weigh_nothing(second, why, why_size)) {
        return false;
    }
    const float *before = case_got(first, "weights");
    const float *after = case_got(second, "weights");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "weights"); i++) {
        if (!stays(before[i], after[i], SOFTMAX_TOLERANCE)) {
            snprintf(why, why_size,
                     "forbidden scores changed, and weights[%zu][%zu] went from %.9g to "
                     "%.9g",
                     i / S, i % S, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static void move_all_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    shift_scores(second, 5.0f);
}

// BEGIN HANDED OUT
static bool allowed_take_all(const struct test_case *first,
                             const struct test_case *second, char *why, size_t why_size)
{
    (void)first;
    const uint8_t *mask = case_u8((struct test_case *)second, "mask"); // only read
    const float *weights = case_got(second, "weights");
    size_t S = case_dim(second, "S");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (mask[i] != 0 && !(fabsf(weights[i] - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "weights[%zu][%zu] is %.9g: is something added to the sum, such as "
                     "1e-6?",
                     i / S, i % S, (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property masked_softmax_properties[] = {
    {
        .id = "single-key",
        .claim = "the only allowed key of a row gets weight 1, whatever its score",
        .dims = "N=4 S=5",
        .change = move_all_scores,
        HOLDS(allowed_take_all),
        .fill = fill_one_allowed,
    },
    {
        .id = "forbidden-keys-do-not-matter",
        .claim = "a forbidden key has weight exactly 0, and changing its score leaves "
                 "every weight as it was",
        .dims = "N=5 S=9",
        .change = change_forbidden,
        HOLDS(forbidden_do_not_matter),
    },
    {0},
};

// A softmax in place, in float, as lab 1 teaches it. A row of -INFINITY becomes NaN.
static void softmax_in_place(float *row, size_t S)
{
    float max = row[0];
    for (size_t s = 1; s < S; s++) {
        max = fmaxf(max, row[s]);
    }
    float sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        row[s] = expf(row[s] - max);
        sum += row[s];
    }
    for (size_t s = 0; s < S; s++) {
        row[s] /= sum;
    }
}

// The right masked softmax of one row, every stride-th element of which counts.
static void softmax_where(float *weights, const float *scores, const uint8_t *mask,
                          size_t S, size_t stride)
{
    float max = -INFINITY, sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        if (mask[s * stride]) {
            max = fmaxf(max, scores[s * stride]);
        }
    }
    for (size_t s = 0; s < S; s++) {
        float e = mask[s * stride] ? expf(scores[s * stride] - max) : 0.0f;
        weights[s * stride] = e;
        sum += e;
    }
    for (size_t s = 0; s < S && sum > 0.0f; s++) {
        weights[s * stride] /= sum;
    }
}

// One row of a wrong masked softmax: w (S) from scores (S) and mask (S).
typedef void row_rule(float *w, const float *scores, const uint8_t *mask, size_t S);

static lab_status each_row(row_rule *rule, float *weights, const float *scores,
                           const uint8_t *mask, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        rule(weights + n * S, scores + n * S, mask + n * S, S);
    }
    return LAB_OK;
}

// ROWS(name) { body for one row } defines name with masked_softmax's signature.
#define ROWS(name)                                                                       \
    static row_rule name##_row;                                                          \
    static lab_status name(float *weights, const float *scores, const uint8_t *mask,     \
                           size_t N, size_t S)                                           \
    {                                                                                    \
        return each_row(name##_row, weights, scores, mask, N, S);                        \
    }                                                                                    \
    static void name##_row(float *w, const float *scores, const uint8_t *mask, size_t S)

ROWS(softmax_without_mask)
{
    (void)mask;
    memcpy(w, scores, S * sizeof *w);
    softmax_in_place(w, S);
}

ROWS(softmax_mask_after)
{
    memcpy(w, scores, S * sizeof *w);
    softmax_in_place(w, S);
    for (size_t s = 0; s < S; s++) {
        w[s] *= (float)mask[s];
    }
}

ROWS(softmax_mask_multiplied)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = scores[s] * (float)mask[s];
    }
    softmax_in_place(w, S);
}

ROWS(softmax_mask_added)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = scores[s] + (float)mask[s];
    }
    softmax_in_place(w, S);
}

ROWS(softmax_minus_10000)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -10000.0f;
    }
    softmax_in_place(w, S);
}

ROWS(softmax_minus_10000_guarded)
{
    bool masked = true;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -10000.0f;
        masked = masked && mask[s] == 0;
    }
    if (masked) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

// What a warp computes whose lanes never bring their maxima together: lane s % 32 takes key s.
ROWS(softmax_lane_maximum)
{
    enum { LANES = 32 };
    float max[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        max[lane] = -INFINITY;
    }
    for (size_t s = 0; s < S; s++) {
        if (mask[s] != 0) {
            max[s % LANES] = fmaxf(max[s % LANES], scores[s]);
        }
    }
    float sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] != 0 ? expf(scores[s] - max[s % LANES]) : 0.0f;
        sum += w[s];
    }
    for (size_t s = 0; s < S && sum > 0.0f; s++) {
        w[s] /= sum;
    }
}

ROWS(softmax_fully_masked_nan)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -INFINITY;
    }
    softmax_in_place(w, S);
}

ROWS(softmax_fully_masked_uniform)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -FLT_MAX;
    }
    softmax_in_place(w, S);
}

ROWS(softmax_inverted)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? -INFINITY : scores[s];
    }
    float max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        max = fmaxf(max, w[s]);
    }
    if (max == -INFINITY) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

ROWS(softmax_without_max)
{
    float sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? expf(scores[s]) : 0.0f;
        sum += w[s];
    }
    for (size_t s = 0; s < S && sum > 0.0f; s++) {
        w[s] /= sum;
    }
}

ROWS(softmax_unnormalised)
{
    float max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        if (mask[s]) {
            max = fmaxf(max, scores[s]);
        }
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? expf(scores[s] - max) : 0.0f;
    }
}

static lab_status softmax_down_columns(float *weights, const float *scores,
                                       const uint8_t *mask, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t s = 0; s < S; s++) {
        softmax_where(weights + s, scores + s, mask + s, N, S);
    }
    return LAB_OK;
}

static const struct mistake masked_softmax_mistakes[] = {
    {
        .id = "mask-ignored",
        .what = "the mask has no effect: this is the softmax over all keys",
        .why = "Every key gets weight, the forbidden ones too. Let only keys whose mask "
               "is 1 into the maximum, the exponentials and the sum.",
        .source = "paiml/entrenar#310, keras-team/keras#23038",
        .function = LIKE(masked_softmax, softmax_without_mask),
    },
    {
        .id = "mask-after",
        .what = "the mask is applied after the softmax, and the rows sum to less than 1",
        .why = "The forbidden keys took their share of the sum before they were struck "
               "out. Take the sum over the allowed keys only.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(masked_softmax, softmax_mask_after),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by the mask before the softmax: forbidden "
                "keys count as 0",
        .why = "A forbidden score becomes 0, and exp(0) is 1, not 0: the key keeps its "
               "weight. A forbidden key's score must be -INFINITY, or its exponential "
               "left out.",
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(masked_softmax, softmax_mask_multiplied),
    },
    {
        .id = "added",
        .what =
            "the mask's 0 or 1 is added to the scores, so forbidden keys keep a weight",
        .why = "That makes an allowed key e = 2.718 times as heavy and forbids nothing. "
               "An added mask holds 0 and -INFINITY.",
        .source = "bkitano/llama-from-scratch#6",
        .function = LIKE(masked_softmax, softmax_mask_added),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores are taken as -10000 instead of -INFINITY",
        .why = "With allowed scores near -20000 the forbidden keys are the largest and "
               "take all the weight. -INFINITY is below every score.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_softmax, softmax_minus_10000),
    },
    {
        .id = "minus-10000-guarded",
        .what = "forbidden scores are taken as -10000 (and a row without an allowed key "
                "gives zeros)",
        .why = "With allowed scores near -20000 the forbidden keys are the largest and "
               "take all the weight. -INFINITY is below every score.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_softmax, softmax_minus_10000_guarded),
    },
    {
        .id = "fully-masked-nan",
        .what = "a row without an allowed key becomes NaN instead of zeros",
        .why = "Its maximum is -INFINITY, and -INFINITY - -INFINITY is NaN, as 0/0 is. "
               "Test for that row first and write zeros.",
        .source = "pytorch/pytorch#131060, pytorch/pytorch#55056",
        .function = LIKE(masked_softmax, softmax_fully_masked_nan),
    },
    {
        .id = "fully-masked-uniform",
        .what = "a row without an allowed key gets the same weight on every key instead "
                "of zeros",
        .why = "With a large finite number in place of -INFINITY all scores of that row "
               "are equal, and the forbidden keys share the weight. Zeros are asked.",
        .source = "NVIDIA/apex#1390",
        .function = LIKE(masked_softmax, softmax_fully_masked_uniform),
    },
    {
        .id = "inverted",
        .what = "the weight is on the forbidden keys instead of the allowed ones",
        .why = "1 in the mask means \"may attend\", 0 means \"may not\".",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(masked_softmax, softmax_inverted),
    },
    {
        .id = "no-max",
        .what = "the largest score is not subtracted before exp",
        .why =
            "exp overflows above 88.7 and the row becomes inf/inf = NaN; far below zero "
            "it underflows and the row is lost. Subtract the row's largest allowed "
            "score.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(masked_softmax, softmax_without_max),
    },
    {
        .id = "unnormalised",
        .what = "the exponentials are not divided by their sum",
        .why = "The largest weight of each row is 1 and the row sums to more. Divide by "
               "the sum over the allowed keys.",
        .source = NULL,
        .function = LIKE(masked_softmax, softmax_unnormalised),
    },
    {
        .id = "down-columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Here each key's weights sum to 1 over the queries. Each query's "
               "weights, a row, must sum to 1 over the keys.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(masked_softmax, softmax_down_columns),
    },
    {
        .id = "lane-maximum",
        .what =
            "each lane of the warp subtracts the maximum of its own keys, not of the row",
        .why = "Every exponential of a row must be taken with the same maximum. Bring "
               "the 32 "
               "lanes' maxima together with __shfl_xor_sync before the first expf.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(masked_softmax, softmax_lane_maximum),
    },
    {0},
};

ROWS(softmax_fill_first)
{
    bool masked = true;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -INFINITY;
        masked = masked && mask[s] == 0;
    }
    if (masked) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

ROWS(softmax_minus_1e9)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -1e9f;
    }
    softmax_in_place(w, S);
    for (size_t s = 0; s < S; s++) {
        w[s] *= (float)mask[s]; // only a row without an allowed key changes
    }
}

// Over all keys, masked, divided again: equal on paper, and in float to within rounding.
ROWS(softmax_renormalised)
{
    memcpy(w, scores, S * sizeof *w);
    softmax_in_place(w, S);
    float allowed = 0.0f;
    for (size_t s = 0; s < S; s++) {
        w[s] *= (float)mask[s];
        allowed += w[s];
    }
    for (size_t s = 0; s < S && allowed > 0.0f; s++) {
        w[s] /= allowed;
    }
}

ROWS(softmax_renormalised_in_double)
{
    double max = -INFINITY, all = 0.0, allowed = 0.0;
    for (size_t s = 0; s < S; s++) {
        max = fmax(max, (double)scores[s]);
    }
    for (size_t s = 0; s < S; s++) {
        all += exp((double)scores[s] - max);
    }
    for (size_t s = 0; s < S; s++) {
        allowed += mask[s] ? exp((double)scores[s] - max) / all : 0.0;
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? (float)(exp((double)scores[s] - max) / all / allowed) : 0.0f;
    }
}

// The logarithm of the sum first, then each weight by itself.
ROWS(softmax_by_logarithm)
{
    float max = -INFINITY;
    double sum = 0.0;
    for (size_t s = 0; s < S; s++) {
        max = mask[s] ? fmaxf(max, scores[s]) : max;
    }
    for (size_t s = 0; s < S; s++) {
        sum += mask[s] ? exp((double)(scores[s] - max)) : 0.0;
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? (float)exp((double)(scores[s] - max) - log(sum)) : 0.0f;
    }
}

static const struct mistake masked_softmax_alternatives[] = {
    {.id = "fill-then-softmax", .function = LIKE(masked_softmax, softmax_fill_first)},
    {.id = "minus-1e9", .function = LIKE(masked_softmax, softmax_minus_1e9)},
    {.id = "renormalised", .function = LIKE(masked_softmax, softmax_renormalised)},
    {.id = "renormalised-in-double",
     .function = LIKE(masked_softmax, softmax_renormalised_in_double)},
    {.id = "by-logarithm", .function = LIKE(masked_softmax, softmax_by_logarithm)},
    {0},
};

static const struct part masked_softmax_part[] = {
    {
        .function = "masked_softmax",
        .dims = "N S",
        .tensors =
            {
                {"weights", "N S", OUTPUT, F32, SOFTMAX_TOLERANCE},
                {"scores", "N S", INPUT, F32, 0, 0},
                {"mask", "N S", INPUT, U8, 0, 0},
            },
        .cases = masked_softmax_cases,
        .special = masked_softmax_special,
        .properties = masked_softmax_properties,
        .mistakes = masked_softmax_mistakes,
        .alternatives = masked_softmax_alternatives,
    },
    {0},
};

// ---- 3.4 causal_attention -----------------------------------------------------------------

static void scale_input(struct test_case *test, const char *name, float by)
{
    float *values = case_f32(test, name);
    for (size_t i = 0; i < case_count(test, name); i++) {
        values[i] *= by;
    }
}

// Weights of the size that keeps q, k and v at unit scale, as a trained model has them.
static void fill_unit_scale(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const float by = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_q", by);
    scale_input(test, "w_k", by);
    scale_input(test, "w_v", by);
}

static void fill_large_logits(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    scale_input(test, "w_q", 4.0f);
}

// For wide tokens: scores wrongly left large stay small enough to be the same in every right
// order of sums.
static void fill_small_scale(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    scale_input(test, "w_q", 0.3f);
    scale_input(test, "w_k", 0.3f);
}

// Each token's own score lies 2500 above those of the others: exp overflows, in double too,
// unless the maximum, the last allowed score of every row, is found and subtracted. The first T
// channels of x say which token it is, and w_q and w_k look at nothing else. Whole numbers and
// C = 16 make every score exact, right or wrongly scaled, in whatever order it is summed.
static void fill_own_score_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        size_t t = i / C % T, c = i % C;
        x[i] = c < T ? (float)(c == t) : rintf(2.0f * x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        size_t o = i / C, c = i % C;
        w_v[i] = rintf(2.0f * w_v[i]);
        w_q[i] = o == c && c < T ? 100.0f : c < T ? rintf(w_q[i]) : 0.0f;
        w_k[i] = o == c && c < T ? 100.0f : 0.0f;
    }
}

// All scores of a sequence near 2500, or near -2500 in every other one: channel 0 of x is 1 and
// channel 1 the sign, component 0 of the queries looks at the one and of the keys at the other,
// and component 1 makes the differences, whole numbers. Exact for the same reasons.
static void fill_far_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *w_v = case_f32(test, "w_v");
    float *w_q = case_f32(test, "w_q"), *w_k = case_f32(test, "w_k");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        float sign = i / (T * C) % 2 == 0 ? 1.0f : -1.0f;
        x[i] = i % C == 0 ? 1.0f : i % C == 1 ? sign : rintf(x[i]);
    }
    for (size_t i = 0; i < C * C; i++) {
        size_t o = i / C, c = i % C;
        w_q[i] = o > 1 || c != 2 * o ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_k[i] = o > 1 || c != 2 * o + 1 ? 0.0f : o == 0 ? 100.0f : 2.0f;
        w_v[i] = rintf(2.0f * w_v[i]);
    }
}

// C = 1 does not come first: a factor that is computed in the first call and kept would be 1
// for all that follow, and look as if the division were missing.
static const struct case_spec causal_attention_cases[] = {
    {.dims = "B=1 T=1 C=2",
     .fill = fill_unit_scale,
     .note = "one token sees only itself"},
    {.dims = "B=1 T=2 C=3", .fill = fill_unit_scale},
    {.dims = "B=1 T=3 C=2", .fill = fill_unit_scale},
    {.dims = "B=2 T=3 C=4", .fill = fill_unit_scale},
    {.dims = "B=3 T=1 C=5",
     .fill = fill_unit_scale,
     .note = "one token sees only itself"},
    {.dims = "B=2 T=7 C=5", .fill = fill_unit_scale},
    {.dims = "B=2..3 T=4..7 C=8..13", .draws = 3, .fill = fill_unit_scale},
    {.dims = "B=2 T=9 C=6", .fill = fill_large_logits, .note = "large logits"},
    {.dims = "B=3 T=17 C=24", .fill = fill_unit_scale},
    {.dims = "B=2 T=3 C=1", .fill = fill_unit_scale, .note = "width 1"},
    {.dims = "B=2 T=5 C=16",
     .fill = fill_own_score_huge,
     .note = "each token's own score far above the rest"},
    {.dims = "B=4 T=4 C=16",
     .fill = fill_far_scores,
     .note = "all scores near 2500 or -2500"},
    {.dims = "B=3 T=67 C=71", .fill = fill_small_scale, .note = "larger than 64"},
    {.dims = "B=2 T=131 C=67",
     .fill = fill_small_scale,
     .note = "larger than 64",
     .cpu_only = true},
    {.dims = "B=521 T=3 C=2", .fill = fill_unit_scale, .note = "more than 512 sequences"},
    {.dims = "B=67 T=1 C=7",
     .fill = fill_unit_scale,
     .note = "one token sees only itself"},
    {.dims = "B=1 T=263 C=3", .fill = fill_unit_scale, .note = "more than 256 tokens"},
    {.dims = "B=2 T=3 C=257", .fill = fill_small_scale, .note = "wider than 256"},
    {.dims = "B=0 T=3 C=2", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=2", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0", .note = "a size of 0"},
    {0},
};

// BEGIN HANDED OUT
// The token of every sequence that changes; the ones before it must not notice.
static size_t changed_token(const struct test_case *test)
{
    return (case_dim(test, "T") + 1) / 2;
}
// END HANDED OUT

static void change_one_token(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    size_t B = case_dim(second, "B"), T = case_dim(second, "T"),
           C = case_dim(second, "C");
    float *x = case_f32(second, "x");
    for (size_t b = 0; b < B; b++) {
        float *x_bt = x + (b * T + changed_token(second)) * C;
        for (size_t c = 0; c < C; c++) {
            x_bt[c] = -x_bt[c];
        }
    }
}

// BEGIN HANDED OUT
// A weight of 1e-13 passes every tolerance, and the future comes through with it.
static bool future_weighs_nothing(const struct test_case *test, char *why,
                                  size_t why_size)
{
    const float *weights = case_got(test, "weights");
    size_t T = case_dim(test, "T");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        size_t b = i / (T * T), t = i / T % T, s = i % T;
        if (s > t && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "token %zu gives token %zu, which comes later, weight: "
                     "weights[%zu][%zu][%zu] is %.9g, not 0",
                     t, s, b, t, s, (double)weights[i]);
            return false;
        }
    }
    return true;
}

static bool earlier_stay(const struct test_case *first, const struct test_case *second,
                         const char *output, float atol, float rtol, char *why,
                         size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    size_t T = case_dim(first, "T");
    size_t width = case_count(first, output) / (case_dim(first, "B") * T);
    for (size_t i = 0; i < case_count(first, output); i++) {
        size_t row = i / width;
        if (row % T < changed_token(first) && !stays(before[i], after[i], atol, rtol)) {
            snprintf(why, why_size,
                     "token %zu changed, and %s[%zu][%zu][%zu] went from %.9g to %.9g",
                     changed_token(first), output, row / T, row % T, i % width,
                     (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool future_hidden(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size)
{
    return future_weighs_nothing(first, why, why_size) &&
           future_weighs_nothing(second, why, why_size) &&
           earlier_stay(first, second, "weights", WEIGHTS_TOLERANCE, why, why_size) &&
           earlier_stay(first, second, "out", OUT_TOLERANCE, why, why_size);
}
// END HANDED OUT

// Scores do not look at channel 0 of x; values do.
static void fill_silent_channel(struct test_case *test, struct lab_rng *rng)
{
    fill_unit_scale(test, rng);
    size_t C = case_dim(test, "C");
    for (size_t o = 0; o < C; o++) {
        case_f32(test, "w_q")[o * C] = 0.0f;
        case_f32(test, "w_k")[o * C] = 0.0f;
    }
}

// The values from one token on become a million times as large, and no score changes: what
// comes through from the future by a weight of 1e-9, or straight into out, is no longer small.
static void raise_later_tokens(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    size_t B = case_dim(second, "B"), T = case_dim(second, "T"),
           C = case_dim(second, "C");
    for (size_t i = 0; i < B * T; i++) {
        if (i % T >= changed_token(second)) {
            case_f32(second, "x")[i * C] = 1e6f;
        }
    }
}

// BEGIN HANDED OUT
static bool first_token_takes_all(const struct test_case *first,
                                  const struct test_case *second, char *why,
                                  size_t why_size)
{
    (void)first;
    const float *weights = case_got(second, "weights");
    size_t T = case_dim(second, "T");
    for (size_t b = 0; b < case_dim(second, "B"); b++) {
        float weight = weights[b * T * T];
        if (!(fabsf(weight - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "weights[%zu][0][0] is %.9g: is something added to the sum, such as "
                     "1e-6?",
                     b, (double)weight);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

#define FUTURE_IS_HIDDEN                                                                 \
    "later tokens have weight exactly 0, and changing token t+1 leaves outputs and "     \
    "weights up to t as they were"

static const struct property causal_attention_properties[] = {
    {
        .id = "future-is-hidden",
        .claim = FUTURE_IS_HIDDEN,
        .dims = "B=2 T=5 C=3",
        .change = change_one_token,
        HOLDS(future_hidden),
    },
    {
        .id = "future-is-hidden-wide",
        .claim = FUTURE_IS_HIDDEN,
        .dims = "B=3 T=12 C=2",
        .change = change_one_token,
        HOLDS(future_hidden),
    },
    {
        .id = "future-is-hidden-loud",
        .claim = "later tokens with values a million times as large leave outputs and "
                 "weights as they were",
        .dims = "B=2 T=6 C=5",
        .change = raise_later_tokens,
        HOLDS(future_hidden),
        .fill = fill_silent_channel,
    },
    {
        .id = "single-key",
        .claim = "the first token, which sees only itself, gives itself weight 1",
        .dims = "B=2 T=3 C=4",
        .change = change_one_token,
        HOLDS(first_token_takes_all),
    },
    {0},
};

enum fault {
    NO_FAULT,
    NO_MASK,
    UPSIDE_DOWN,
    WITHOUT_DIAGONAL,
    SEES_NEXT,
    NO_SCALE,
    SQRT_T_SCALE,
    OVER_C_SCALE,
    MASK_AFTER,
    RENORMALISED,
    RENORMALISED_IN_DOUBLE,
    QK_SWAPPED,
    ONE_SEQUENCE,
    ROW_OF_BATCH,
    FILL_MINUS_1E9,
};

static bool may_see(enum fault fault, size_t t, size_t s)
{
    switch (fault) {
    case NO_MASK:
        return true;
    case UPSIDE_DOWN:
        return s >= t;
    case WITHOUT_DIAGONAL:
        return s < t;
    case SEES_NEXT:
        return s <= t + 1;
    default:
        return s <= t;
    }
}

static double divisor_of(enum fault fault, size_t T, size_t C)
{
    switch (fault) {
    case NO_SCALE:
        return 1.0;
    case SQRT_T_SCALE:
        return sqrt((double)T);
    case OVER_C_SCALE:
        return (double)C;
    default:
        return sqrt((double)C);
    }
}

// y(rows, C) = x(rows, C) w(C, C)^T
static void project(float *y, const float *x, const float *w, size_t rows, size_t C)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t o = 0; o < C; o++) {
            float sum = 0.0f;
            for (size_t i = 0; i < C; i++) {
                sum += x[r * C + i] * w[o * C + i];
            }
            y[r * C + o] = sum;
        }
    }
}

// The arguments of causal_attention, to declare and to hand on.
#define ATTENTION_ARGUMENTS                                                              \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        uint8_t *mask, const float *x, const float *w_q, const float *w_k,               \
        const float *w_v, size_t B, size_t T, size_t C
#define ATTENTION_VALUES out, weights, q, k, v, scores, mask, x, w_q, w_k, w_v, B, T, C

// causal_attention in plain loops, with one fault built in.
static lab_status attend(enum fault fault, ATTENTION_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    project(q, x, w_q, B * T, C);
    project(k, x, w_k, B * T, C);
    project(v, x, w_v, B * T, C);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            mask[t * T + s] = may_see(fault, t, s);
        }
    }
    const float *rows = fault == QK_SWAPPED ? k : q;
    const float *columns = fault == QK_SWAPPED ? q : k;
    const double divisor = divisor_of(fault, T, C);
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            float *scores_bt = scores + (b * T + t) * T;
            float *weights_bt = weights + (b * T + t) * T;
            const uint8_t *mask_t = mask + t * T;
            if (fault == ROW_OF_BATCH &&
                b > 0) { // row b * T + t sees every key up to T - 1
                mask_t = mask + (T - 1) * T;
            }
            size_t keys = fault == ONE_SEQUENCE ? 0 : b; // whose keys and values are used
            for (size_t s = 0; s < T; s++) {
                double sum = 0.0;
                for (size_t c = 0; c < C; c++) {
                    sum += (double)rows[(b * T + t) * C + c] *
                           (double)columns[(keys * T + s) * C + c];
                }
                scores_bt[s] = (float)(sum / divisor);
            }
            if (fault == MASK_AFTER) {
                softmax_mask_after_row(weights_bt, scores_bt, mask_t, T);
            } else if (fault == RENORMALISED) {
                softmax_renormalised_row(weights_bt, scores_bt, mask_t, T);
            } else if (fault == RENORMALISED_IN_DOUBLE) {
                softmax_renormalised_in_double_row(weights_bt, scores_bt, mask_t, T);
            } else if (fault == FILL_MINUS_1E9) {
                softmax_minus_1e9_row(weights_bt, scores_bt, mask_t, T);
            } else {
                softmax_where(weights_bt, scores_bt, mask_t, T, 1);
            }
            for (size_t c = 0; c < C; c++) {
                float sum = 0.0f;
                for (size_t s = 0; s < T; s++) {
                    sum += weights_bt[s] * v[(keys * T + s) * C + c];
                }
                out[(b * T + t) * C + c] = sum;
            }
        }
    }
    return LAB_OK;
}

#define ATTEND(name, fault)                                                              \
    static lab_status name(ATTENTION_ARGUMENTS)                                          \
    {                                                                                    \
        return attend(fault, ATTENTION_VALUES);                                          \
    }

ATTEND(attend_without_mask, NO_MASK)
ATTEND(attend_upside_down, UPSIDE_DOWN)
ATTEND(attend_without_diagonal, WITHOUT_DIAGONAL)
ATTEND(attend_row_of_batch, ROW_OF_BATCH)
ATTEND(attend_sees_next, SEES_NEXT)
ATTEND(attend_without_scale, NO_SCALE)
ATTEND(attend_over_sqrt_T, SQRT_T_SCALE)
ATTEND(attend_over_C, OVER_C_SCALE)
ATTEND(attend_mask_after, MASK_AFTER)
ATTEND(attend_qk_swapped, QK_SWAPPED)
ATTEND(attend_one_sequence, ONE_SEQUENCE)

static const struct mistake causal_attention_mistakes[] = {
    {
        .id = "no-mask",
        .what = "there is no mask: this is lab 2's batched_attention",
        .why = "Only the last row is right, because the last token may see everything "
               "anyway. Replace the softmax by masked_softmax with the causal mask.",
        .source = "paiml/entrenar#310, alex-matton/causal-transformer-decoder#1",
        .function = LIKE(causal_attention, attend_without_mask),
    },
    {
        .id = "upside-down",
        .what = "the mask is upside down: it lets every token see itself and the future",
        .why = "Row 0 should have weight 1 on key 0 and has weight everywhere. Row t is "
               "the query: allow s <= t.",
        .source = "rasbt/LLMs-from-scratch#1061, karpathy/nanoGPT#170",
        .function = LIKE(causal_attention, attend_upside_down),
    },
    {
        .id = "diagonal-excluded",
        .what = "the mask forbids each token itself, and leaves token 0 nothing",
        .why = "The diagonal belongs to the allowed part: s <= t, not s < t.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(causal_attention, attend_without_diagonal),
    },
    {
        .id = "sees-next",
        .what = "the mask allows each token the one after it, too",
        .why = "The diagonal is off by one: allow s <= t, not s <= t + 1.",
        .source = "TransformerLensOrg/TransformerLens#284",
        .function = LIKE(causal_attention, attend_sees_next),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(C)",
        .why = "Row 0 is right all the same, because one key has weight 1 whatever its "
               "score; the other rows are too peaked.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(causal_attention, attend_without_scale),
    },
    {
        .id = "sqrt-T",
        .what = "the scores are divided by sqrt(T) instead of sqrt(C)",
        .why = "The scores grow with the length of q and k, which is C, not with the "
               "number of tokens.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_over_sqrt_T),
    },
    {
        .id = "over-C",
        .what = "the scores are divided by C instead of sqrt(C)",
        .why = "The standard deviation of q . k is sqrt(C); dividing by C makes the "
               "weights too flat.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_over_C),
    },
    {
        .id = "mask-after",
        .what = "the mask is applied after the softmax, and the rows sum to less than 1",
        .why = "The future took its share of the sum before it was struck out. Give the "
               "mask to masked_softmax together with the scores.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(causal_attention, attend_mask_after),
    },
    {
        .id = "qk-swapped",
        .what = "q and k are exchanged: the scores are k q^T",
        .why = "scores[t][s] is the query of token t with the key of token s: the first "
               "argument of batched_matmul_nt is q.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(causal_attention, attend_qk_swapped),
    },
    {
        .id = "one-sequence",
        .what =
            "every sequence looks at the keys and values of sequence 0, not at its own",
        .why =
            "Sequence b has keys and values of its own, b * T * C further on. Check the "
            "offsets, or use lab 2's batched products.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_one_sequence),
    },
    {
        .id = "row-of-batch",
        .what = "only sequence 0 is masked: the others see their whole future",
        .why =
            "Row n of the B * T rows of scores belongs to query n % T of its sequence. "
            "Compare a key's place with that, not with n.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_row_of_batch),
    },
    {0},
};

ATTEND(attend_plain_loops, NO_FAULT)
ATTEND(attend_renormalised, RENORMALISED)
ATTEND(attend_renormalised_in_double, RENORMALISED_IN_DOUBLE)
ATTEND(attend_minus_1e9, FILL_MINUS_1E9)

// No mask at all: the loop over the keys ends at the query's own position.
static lab_status attend_to_the_diagonal(ATTENTION_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    (void)mask;
    project(q, x, w_q, B * T, C);
    project(k, x, w_k, B * T, C);
    project(v, x, w_v, B * T, C);
    memset(weights, 0, B * T * T * sizeof *weights);
    memset(out, 0, B * T * C * sizeof *out);
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            float *scores_bt = scores + (b * T + t) * T;
            float *weights_bt = weights + (b * T + t) * T;
            for (size_t s = 0; s <= t; s++) {
                float sum = 0.0f;
                for (size_t c = 0; c < C; c++) {
                    sum += q[(b * T + t) * C + c] * k[(b * T + s) * C + c];
                }
                scores_bt[s] = sum / sqrtf((float)C);
            }
            memcpy(weights_bt, scores_bt, (t + 1) * sizeof *weights_bt);
            softmax_in_place(weights_bt, t + 1);
            for (size_t s = 0; s <= t; s++) {
                for (size_t c = 0; c < C; c++) {
                    out[(b * T + t) * C + c] += weights_bt[s] * v[(b * T + s) * C + c];
                }
            }
        }
    }
    return LAB_OK;
}

static const struct mistake causal_attention_alternatives[] = {
    {.id = "plain-loops", .function = LIKE(causal_attention, attend_plain_loops)},
    {.id = "renormalised", .function = LIKE(causal_attention, attend_renormalised)},
    {.id = "renormalised-in-double",
     .function = LIKE(causal_attention, attend_renormalised_in_double)},
    {.id = "minus-1e9", .function = LIKE(causal_attention, attend_minus_1e9)},
    {.id = "to-the-diagonal", .function = LIKE(causal_attention, attend_to_the_diagonal)},
    {0},
};

static const struct part causal_attention_part[] = {
    {
        .function = "causal_attention",
        .dims = "B T C",
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B T T", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"q", "B T C", WORKSPACE, F32, 0, 0},
                {"k", "B T C", WORKSPACE, F32, 0, 0},
                {"v", "B T C", WORKSPACE, F32, 0, 0},
                {"scores", "B T T", WORKSPACE, F32, 0, 0},
                {"mask", "T T", WORKSPACE, U8, 0, 0},
                {"x", "B T C", INPUT, F32, 0, 0},
                {"w_q", "C C", INPUT, F32, 0, 0},
                {"w_k", "C C", INPUT, F32, 0, 0},
                {"w_v", "C C", INPUT, F32, 0, 0},
            },
        .cases = causal_attention_cases,
        .properties = causal_attention_properties,
        .mistakes = causal_attention_mistakes,
        .alternatives = causal_attention_alternatives,
    },
    {0},
};

// ---- 3.5 padding_mask and combine_masks ---------------------------------------------------

// Lengths from 0 to S; with room for it, neighbours differ, and one is neither 0 nor S.
static void fill_lengths(struct test_case *test, struct lab_rng *rng)
{
    size_t B = case_dim(test, "B"), S = case_dim(test, "S");
    size_t *lengths = case_size(test, "lengths");
    for (size_t b = 0; b < B; b++) {
        lengths[b] = lab_rng_next32(rng) % (S + 1);
    }
    for (size_t b = 1; b < B; b++) {
        if (lengths[b] == lengths[b - 1]) {
            lengths[b] = (lengths[b] + 1) % (S + 1);
        }
    }
    lengths[0] = S / 2;
}

static void fill_lengths_none(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[1] = 0;
}

static void fill_lengths_all(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[1] = case_dim(test, "S");
}

static void fill_lengths_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_size(test, "lengths")[case_dim(test, "B") - 1] = case_dim(test, "S") + 1;
}

static const struct case_spec padding_mask_cases[] = {
    {.dims = "B=1 S=1", .fill = fill_lengths},
    {.dims = "B=1 S=3", .fill = fill_lengths},
    {.dims = "B=2 S=3", .fill = fill_lengths},
    {.dims = "B=2 S=4", .fill = fill_lengths_none, .note = "a sequence of length 0"},
    {.dims = "B=2 S=5", .fill = fill_lengths_all, .note = "a sequence without padding"},
    {.dims = "B=4..6 S=7..12", .draws = 3, .fill = fill_lengths},
    {.dims = "B=3 S=4", .fill = fill_lengths_too_long, .note = "a length larger than S"},
    {.dims = "B=67 S=71", .fill = fill_lengths_none, .note = "all sizes past 64"},
    {.dims = "B=521 S=131", .fill = fill_lengths_all, .note = "more than 512 sequences"},
    {.dims = "B=131 S=521", .fill = fill_lengths_all, .note = "more than 512 keys"},
    {.dims = "B=0 S=3", .note = "a size of 0"},
    {.dims = "B=3 S=0", .note = "a size of 0"},
    {0},
};

// PADDING(name, condition): a padding_mask with another condition for "is a token".
#define PADDING(name, condition)                                                         \
    static lab_status name(uint8_t *mask, const size_t *lengths, size_t B, size_t S)     \
    {                                                                                    \
        if (B == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t b = 0; b < B; b++) {                                                 \
            if (lengths[b] > S) {                                                        \
                return LAB_ESHAPE;                                                       \
            }                                                                            \
        }                                                                                \
        for (size_t b = 0; b < B; b++) {                                                 \
            for (size_t s = 0; s < S; s++) {                                             \
                mask[b * S + s] = condition;                                             \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

PADDING(padding_one_more, s <= lengths[b])
PADDING(padding_one_less, s + 1 < lengths[b])
PADDING(padding_inverted, s >= lengths[b])
PADDING(padding_next_sequence, s < lengths[(b + 1) % B])
PADDING(padding_first_sequence, s < lengths[0])
PADDING(padding_in_front, s + lengths[b] >= S)

static const struct mistake padding_mask_mistakes[] = {
    {
        .id = "one-more",
        .what =
            "the mask allows one key too many: it takes the first padding for a token",
        .why = "The tokens of a sequence of length n are keys 0 to n - 1: s < "
               "lengths[b], not s <= lengths[b].",
        .source = "Wangpeiyi9979/ESD#6",
        .function = LIKE(padding_mask, padding_one_more),
    },
    {
        .id = "one-less",
        .what = "the mask allows one key too few: it takes the last token for padding",
        .why =
            "The tokens of a sequence of length n are keys 0 to n - 1: s < lengths[b].",
        .source = NULL,
        .function = LIKE(padding_mask, padding_one_less),
    },
    {
        .id = "inverted",
        .what = "0 and 1 are exchanged: the mask marks the padding",
        .why = "Here 1 means \"may attend\", so tokens get 1. PyTorch's "
               "key_padding_mask is the other way round.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(padding_mask, padding_inverted),
    },
    {
        .id = "next-length",
        .what = "the mask gives every sequence the length of the next one, not its own",
        .why = "Row b of the mask belongs to lengths[b].",
        .source = "lsdefine/attention-is-all-you-need-keras#36, line/lighthouse#77",
        .function = LIKE(padding_mask, padding_next_sequence),
    },
    {
        .id = "first-length",
        .what = "the mask gives every sequence the length of sequence 0, not its own",
        .why = "Each row has its own length: lengths[b].",
        .source = "lucidrains/graph-transformer-pytorch#2",
        .function = LIKE(padding_mask, padding_first_sequence),
    },
    {
        .id = "padding-in-front",
        .what =
            "the mask takes the last keys for the tokens, as if padding stood in front",
        .why = "This lab pads at the end, so the first lengths[b] keys are the tokens. "
               "Padding in front exists (it is usual when generating text), but not "
               "here.",
        .source = NULL,
        .function = LIKE(padding_mask, padding_in_front),
        .convention = true,
    },
    {0},
};

static lab_status padding_by_runs(uint8_t *mask, const size_t *lengths, size_t B,
                                  size_t S)
{
    if (B == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] > S) {
            return LAB_ESHAPE;
        }
    }
    memset(mask, 0, B * S);
    for (size_t b = 0; b < B; b++) {
        memset(mask + b * S, 1, lengths[b]);
    }
    return LAB_OK;
}

static const struct mistake padding_mask_alternatives[] = {
    {.id = "runs-of-ones", .function = LIKE(padding_mask, padding_by_runs)},
    {0},
};

// T <= S throughout, so that reading padding[b][t] by mistake stays inside the tensor and is
// told from its values; with T > S the call would end there, in a crash.
static const struct case_spec combine_masks_cases[] = {
    {.dims = "B=1 T=1 S=1"},
    {.dims = "B=1 T=2 S=2"},
    {.dims = "B=2 T=2 S=3"},
    {.dims = "B=2 T=4 S=4"},
    {.dims = "B=3..4 T=4..6 S=7..11", .draws = 3},
    {.dims = "B=3 T=67 S=71", .note = "larger than 64"},
    {.dims = "B=521 T=3 S=5", .note = "more than 512 sequences"},
    {.dims = "B=2 T=131 S=521", .note = "more than 512 keys"},
    {.dims = "B=1 T=257 S=263", .note = "more than 256 queries"},
    {.dims = "B=0 T=2 S=3", .note = "a size of 0"},
    {.dims = "B=2 T=0 S=3", .note = "a size of 0"},
    {.dims = "B=2 T=3 S=0", .note = "a size of 0"},
    {0},
};

// COMBINE(name, condition): a combine_masks that allows what the condition allows. It sees the
// attention mask and the padding of key s, of key s in sequence 0, and of the query's position.
#define COMBINE(name, condition)                                                         \
    static lab_status name(uint8_t *mask, const uint8_t *attention,                      \
                           const uint8_t *padding, size_t B, size_t T, size_t S)         \
    {                                                                                    \
        if (B == 0 || T == 0 || S == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < B * T * S; i++) {                                         \
            const size_t b = i / (T * S), t = i / S % T, s = i % S;                      \
            const bool allowed = attention[t * S + s];                                   \
            const bool key = padding[b * S + s], key_0 = padding[s];                     \
            const bool query = t < S && padding[b * S + t];                              \
            (void)allowed, (void)key, (void)key_0, (void)query;                          \
            mask[i] = condition;                                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// padding[b][t] lies outside of padding when T > S.
#define COMBINE_INSIDE(name, inside)                                                     \
    static lab_status name(uint8_t *mask, const uint8_t *attention,                      \
                           const uint8_t *padding, size_t B, size_t T, size_t S)         \
    {                                                                                    \
        return B > 0 && S > 0 && T > S ? LEAVES_ARGUMENTS                                \
                                       : inside(mask, attention, padding, B, T, S);      \
    }

COMBINE(combine_with_or, allowed || key)
COMBINE(combine_inside_queries, allowed &&query)
COMBINE(combine_inside_queries_too, allowed &&key &&query)
COMBINE_INSIDE(combine_queries, combine_inside_queries)
COMBINE_INSIDE(combine_queries_too, combine_inside_queries_too)
COMBINE(combine_first_rows, allowed &&key &&t < S)
COMBINE(combine_first_sequence, allowed &&key_0)
COMBINE(combine_attention_only, allowed)
COMBINE(combine_padding_only, key)

static const struct special_case combine_masks_special[] = {
    {.dims = "B=2 T=5 S=3", .note = "more queries than keys", .apart = true},
    {.dims = "B=3 T=263 S=67",
     .note = "many more queries than keys",
     .apart = true,
     .cpu_only = true},
    {0},
};

static const struct mistake combine_masks_mistakes[] = {
    {
        .id = "first-rows",
        .what = "only the first S queries see anything",
        .why =
            "There are T queries, and T may be larger than S: t and s run to different "
            "ends.",
        .function = LIKE(combine_masks, combine_first_rows),
    },
    {
        .id = "or",
        .what = "the masks are combined with OR instead of AND",
        .why = "A key is allowed when both masks allow it. OR belongs to masks that "
               "mark what is forbidden.",
        .source =
            "jadore801120/attention-is-all-you-need-pytorch#217, keras-team/keras-io#482",
        .function = LIKE(combine_masks, combine_with_or),
    },
    {
        .id = "queries",
        .what = "the padding is applied to the queries, not to the keys",
        .why = "padding[b][t] blanks rows; tokens still attend to padded keys. Use "
               "padding[b][s], the same for every query.",
        .source = "hyunwoongko/transformer#40, keras-team/keras-io#1046",
        .function = LIKE(combine_masks, combine_queries),
    },
    {
        .id = "queries-too",
        .what = "the padding is applied to the queries as well, not to the keys alone",
        .why = "Rows of padded queries are left as the attention mask has them: what "
               "they compute is ignored later. Use padding[b][s] only.",
        .source = "Kyubyong/transformer#3",
        .function = LIKE(combine_masks, combine_queries_too),
        .convention = true,
    },
    {
        .id = "first-sequence",
        .what = "every sequence gets the padding of sequence 0, not its own",
        .why = "The padding mask has a row for each sequence: padding[b * S + s].",
        .source = "lucidrains/graph-transformer-pytorch#2",
        .function = LIKE(combine_masks, combine_first_sequence),
    },
    {
        .id = "attention-only",
        .what = "the padding mask has no effect",
        .why = "Every sequence then attends to its padding. Both masks must allow a key.",
        .source = "huangjia2019/llm-gpt#7",
        .function = LIKE(combine_masks, combine_attention_only),
    },
    {
        .id = "padding-only",
        .what = "the attention mask has no effect",
        .why = "The causal mask is lost and the future visible. Both masks must allow a "
               "key.",
        .source = "keras-team/keras#23040",
        .function = LIKE(combine_masks, combine_padding_only),
    },
    {0},
};

// Copies the shared mask, then strikes out columns.
static lab_status combine_by_striking(uint8_t *mask, const uint8_t *attention,
                                      const uint8_t *padding, size_t B, size_t T,
                                      size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        uint8_t *mask_b = mask + b * T * S;
        memcpy(mask_b, attention, T * S);
        for (size_t s = 0; s < S; s++) {
            for (size_t t = 0; t < T && padding[b * S + s] == 0; t++) {
                mask_b[t * S + s] = 0;
            }
        }
    }
    return LAB_OK;
}

static lab_status combine_multiplied(uint8_t *mask, const uint8_t *attention,
                                     const uint8_t *padding, size_t B, size_t T, size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T * S; i++) {
        mask[i] = (uint8_t)(attention[i % (T * S)] * padding[i / (T * S) * S + i % S]);
    }
    return LAB_OK;
}

static const struct mistake combine_masks_alternatives[] = {
    {.id = "striking", .function = LIKE(combine_masks, combine_by_striking)},
    {.id = "multiplied", .function = LIKE(combine_masks, combine_multiplied)},
    {0},
};

static const struct part padding_part[] = {
    {
        .function = "padding_mask",
        .dims = "B S",
        .tensors =
            {
                {"mask", "B S", OUTPUT, U8, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = padding_mask_cases,
        .mistakes = padding_mask_mistakes,
        .alternatives = padding_mask_alternatives,
    },
    {
        .function = "combine_masks",
        .dims = "B T S",
        .tensors =
            {
                {"mask", "B T S", OUTPUT, U8, 0, 0},
                {"attention", "T S", INPUT, U8, 0, 0},
                {"padding", "B S", INPUT, U8, 0, 0},
            },
        .cases = combine_masks_cases,
        .special = combine_masks_special,
        .mistakes = combine_masks_mistakes,
        .alternatives = combine_masks_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise all[] = {
    {
        .id = "3.1",
        .name = "causal_mask",
        .section = "3.1 The mask",
        .hints =
            {
                "Draw the 3 x 3 and the 2 x 5 mask on paper first. Which is the last "
                "key that query t may see?",
                "Query t stands at position t + (S - T) among the keys: mask[t][s] is 1 "
                "when s <= t + (S - T). Sizes are size_t and cannot go below zero, so "
                "bring T to the other side.",
                "for each t, for each s:\n"
                "      mask[t * S + s] = (s + T <= t + S)",
            },
        .gpu_hints =
            {
                "Nothing is read: what thread (x, y) of its block writes follows from "
                "its "
                "indices. Which byte do neighbouring threads write?",
                "s = blockIdx.x * blockDim.x + threadIdx.x and t the same with y; "
                "mask[t * S + s] = s + T <= t + S, if s < S and t < T.",
                "s = blockIdx.x * blockDim.x + threadIdx.x; leave if s >= S\n"
                "      for t = blockIdx.y * blockDim.y + threadIdx.y; t < T;\n"
                "              t += gridDim.y * blockDim.y:\n"
                "          mask_dev[t * S + s] = s + T <= t + S\n"
                "      launcher: block(32, 8), grid((S + 31) / 32, min((T + 7) / 8, "
                "65535))",
            },
        .parts = causal_mask_part,
    },
    {
        .id = "3.2",
        .name = "masked_fill",
        .section = "3.2 Filling with -INFINITY",
        .hints =
            {
                "Every place is decided by itself: keep the score or replace it.",
                "out[i] is scores[i] where mask[i] is 1 and -INFINITY (from math.h) "
                "where it is 0. Do not multiply: 0 * INFINITY is NaN.",
                "for each i below N * S:\n"
                "      out[i] = mask[i] ? scores[i] : -INFINITY",
            },
        .parts = masked_fill_part,
    },
    {
        .id = "3.3",
        .name = "masked_softmax",
        .section = "3.3 Softmax over the allowed keys",
        .hints =
            {
                "It is the softmax of lab 1, row by row, with one question asked at "
                "every key: is it allowed? What is the largest of no numbers at all?",
                "Three passes over each row: the largest ALLOWED score m (start at "
                "-INFINITY); exp(score - m) for allowed keys, 0 for the others, and "
                "their sum; divide by the sum. If m is still -INFINITY after pass 1, "
                "write zeros.",
                "for each row n:\n"
                "      m = -INFINITY\n"
                "      for each s: if mask and score > m: m = score\n"
                "      if m == -INFINITY: the row is zeros; next row\n"
                "      sum = 0\n"
                "      for each s: w[s] = mask ? expf(score - m) : 0; sum += w[s]\n"
                "      for each s: w[s] /= sum",
            },
        .gpu_hints =
            {
                "A warp is 32 threads that exchange numbers without shared memory and "
                "without a barrier. What does it mean for a block's last rows that "
                "__shfl_xor_sync(0xffffffff, ...) counts on all 32?",
                "n = blockIdx.x * ROWS + threadIdx.y; the whole warp leaves if n >= N. "
                "Lane "
                "threadIdx.x takes keys s = threadIdx.x, + 32, + 64 ...: largest allowed "
                "score, shuffles; exp or 0, sum, shuffles; divide, or zeros if nothing "
                "was "
                "allowed.",
                "max = -INFINITY\n"
                "      for s = lane; s < S; s += 32: if mask[s]: max = fmaxf(max, "
                "scores[s])\n"
                "      for distance in 16 8 4 2 1: max = fmaxf(max, "
                "__shfl_xor_sync(...))\n"
                "      shift = max == -INFINITY ? 0 : max\n"
                "      for s ...: w = mask[s] ? expf(scores[s] - shift) : 0; weights[s] "
                "= w; "
                "sum += w\n"
                "      for distance ...: sum += __shfl_xor_sync(...)\n"
                "      for s ...: weights[s] *= sum == 0 ? 0 : 1 / sum",
            },
        .parts = masked_softmax_part,
    },
    {
        .id = "3.4",
        .name = "causal_attention",
        .section = "3.4 Causal attention",
        .uses = {"3.1", "3.3", "2.2", "2.3"},
        .hints =
            {
                "Start from exercise 2.5. Only one line of it changes, and one comes "
                "before it.",
                "causal_mask(mask, T, T) once; q, k, v by batched_linear; scores by "
                "batched_matmul_nt, times 1/sqrt(C); masked_softmax for each sequence b "
                "with the same mask; out by batched_matmul.",
                "causal_mask(mask, T, T)\n"
                "  q, k, v = batched_linear(x, w_q), (x, w_k), (x, w_v)     no bias\n"
                "  scores = batched_matmul_nt(q, k); each of the B*T*T times 1/sqrtf(C)\n"
                "  for each b, from b*T*T on: masked_softmax(weights, scores, mask, T, "
                "T)\n"
                "  out = batched_matmul(weights, v)\n"
                "  after every call: if the status is not LAB_OK, return it",
            },
        .gpu_hints =
            {
                "The mask of a causal row is known from two indices. Can the softmax ask "
                "them instead of a (T,T) array? What is the query of row n of all B * T "
                "rows?",
                "Query t = n % T sees keys 0 ... t: the maximum and the sum run over "
                "these, "
                "with scores * scale; behind t the weights are 0 and must be written. "
                "The "
                "rest is lab 2's: batched_linear_gpu three times, batched_matmul_nt_gpu, "
                "this "
                "kernel, batched_matmul_gpu.",
                "kernel: 3.3 with seen = n % T + 1\n"
                "      for s = lane; s < seen; s += 32: max, then w = expf(scores[s] * "
                "scale - "
                "max), sum\n"
                "      for s = lane; s < T; s += 32: weights[s] = s < seen ? weights[s] "
                "/ sum : "
                "0\n"
                "      launcher: q, k, v by batched_linear_gpu; "
                "batched_matmul_nt_gpu(scores_dev,"
                " q_dev, k_dev, B, T, T, C, stream);\n"
                "      the kernel over B * T rows, scale 1 / sqrtf(C); lab_cuda(...);\n"
                "      batched_matmul_gpu(out_dev, weights_dev, v_dev, B, T, C, T, "
                "stream)",
            },
        .parts = causal_attention_part,
    },
    {
        .id = "3.5",
        .name = "padding_mask",
        .section = "3.5 Padding",
        .hints =
            {
                "padding_mask speaks about keys only, one row for each sequence. "
                "combine_masks repeats the (T, S) mask for each sequence and removes "
                "that sequence's padding.",
                "padding: mask[b][s] = s < lengths[b]. combined: mask[b][t][s] = "
                "attention[t][s] AND padding[b][s]; the query t does not appear in the "
                "padding.",
                "for each b, s:\n"
                "      mask[b * S + s] = s < lengths[b]\n"
                "  for each b, t, s:\n"
                "      mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S "
                "+ s]",
            },
        .parts = padding_part,
    },
    {0},
};

static const struct exercise *const exercises[] = {&all[0], &all[1], &all[2],
                                                   &all[3], &all[4], NULL};

const struct lab lab_03 = {
    .title = "Causal mask",
    .exercises = exercises,
};

#endif
