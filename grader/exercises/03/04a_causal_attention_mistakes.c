// 04a_causal_attention_mistakes.c - exercise 3.4: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/03/04_causal_attention.h"
#include "exercises/03/shared.h"

#include <math.h>
#include <string.h>

#include "03_causal_mask/causal.h"

enum fault {
    NO_FAULT,
    NO_MASK,
    UPSIDE_DOWN,
    WITHOUT_DIAGONAL,
    SEES_NEXT,
    NO_SCALE,
    SQRT_T_SCALE,
    OVER_C_SCALE,
    SCALE_FIRST,
    MASK_AFTER,
    RENORMALIZED,
    RENORMALIZED_IN_DOUBLE,
    QK_SWAPPED,
    ONE_SEQUENCE,
    ROW_OF_BATCH,
    FILL_MINUS_1E9,
    FILL_MINUS_10000,
    ADD_MINUS_1E9,
    FROM_ZERO,     // the search for the maximum starts there,
    FROM_ZERO_NAN, // and the row is divided by its sum even if that is 0
    HALF_WARP,
    NO_MAX,         // rows whose sum is 0 become zeros,
    NO_MAX_NAN,     // or NaN,
    NO_MAX_ALLOWED, // or NaN where a key is allowed
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

static void softmax_from_0(float *weights, const float *scores, const uint8_t *mask,
                           size_t S, bool guarded)
{
    float max = 0.0f, sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        max = mask[s] && scores[s] > max ? scores[s] : max;
    }
    for (size_t s = 0; s < S; s++) {
        weights[s] = mask[s] ? expf(scores[s] - max) : 0.0f;
        sum += weights[s];
    }
    for (size_t s = 0; s < S; s++) {
        weights[s] = mask[s] && (sum > 0.0f || !guarded) ? weights[s] / sum : 0.0f;
    }
}

static void softmax_from_0_row(float *w, const float *scores, const uint8_t *mask,
                               size_t S)
{
    softmax_from_0(w, scores, mask, S, true);
}

static void softmax_from_0_nan_row(float *w, const float *scores, const uint8_t *mask,
                                   size_t S)
{
    softmax_from_0(w, scores, mask, S, false);
}

static void right_row(float *w, const float *scores, const uint8_t *mask, size_t S)
{
    softmax_where(w, scores, mask, S, 1);
}

static row_rule *softmax_of(enum fault fault)
{
    switch (fault) {
    case MASK_AFTER:
        return softmax_mask_after_row;
    case RENORMALIZED:
        return softmax_renormalized_row;
    case RENORMALIZED_IN_DOUBLE:
        return softmax_renormalized_in_double_row;
    case FILL_MINUS_1E9:
        return softmax_minus_1e9_row;
    case FILL_MINUS_10000:
        return softmax_minus_10000_row;
    case ADD_MINUS_1E9:
        return softmax_added_1e9_row;
    case FROM_ZERO:
        return softmax_from_0_row;
    case FROM_ZERO_NAN:
        return softmax_from_0_nan_row;
    case HALF_WARP:
        return softmax_half_warp_row;
    case NO_MAX:
        return softmax_without_max_row;
    case NO_MAX_NAN:
        return softmax_without_max_nan_row;
    case NO_MAX_ALLOWED:
        return softmax_without_max_allowed_row;
    default:
        return right_row;
    }
}

// The arguments of causal_attention, to declare and to pass on.
#define ATTENTION_ARGUMENTS                                                              \
    float *out, float *weights, float *q, float *k, float *v, float *scores,             \
        uint8_t *mask, const float *x, const float *w_q, const float *w_k,               \
        const float *w_v, size_t B, size_t T, size_t C
#define ATTENTION_VALUES out, weights, q, k, v, scores, mask, x, w_q, w_k, w_v, B, T, C

// causal_attention in plain loops, with one mistake.
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
            // row b * T + t sees every key up to T - 1
            if (fault == ROW_OF_BATCH && b > 0) {
                mask_t = mask + (T - 1) * T;
            }
            size_t keys = fault == ONE_SEQUENCE ? 0 : b; // whose keys and values are used
            for (size_t s = 0; s < T; s++) {
                double sum = 0.0;
                for (size_t c = 0; c < C; c++) {
                    sum += (double)rows[(b * T + t) * C + c] *
                           (double)columns[(keys * T + s) * C + c];
                }
                const bool scaled = fault != SCALE_FIRST || b == 0;
                scores_bt[s] = (float)(scaled ? sum / divisor : sum);
            }
            softmax_of(fault)(weights_bt, scores_bt, mask_t, T);
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
ATTEND(attend_scale_first, SCALE_FIRST)
ATTEND(attend_mask_after, MASK_AFTER)
ATTEND(attend_minus_10000, FILL_MINUS_10000)
ATTEND(attend_added_minus_1e9, ADD_MINUS_1E9)
ATTEND(attend_from_zero, FROM_ZERO)
ATTEND(attend_from_zero_nan, FROM_ZERO_NAN)
ATTEND(attend_half_warp, HALF_WARP)
ATTEND(attend_without_max, NO_MAX)
ATTEND(attend_without_max_nan, NO_MAX_NAN)
ATTEND(attend_without_max_allowed, NO_MAX_ALLOWED)
ATTEND(attend_qk_swapped, QK_SWAPPED)
ATTEND(attend_one_sequence, ONE_SEQUENCE)

// The largest score that a sequence's tokens may see.
static float largest_seen(const float *scores, size_t T)
{
    float max = -INFINITY;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s <= t; s++) {
            max = scores[t * T + s] > max ? scores[t * T + s] : max;
        }
    }
    return max;
}

static lab_status attend_one_maximum(bool guarded, ATTENTION_ARGUMENTS)
{
    lab_status status = causal_attention(ATTENTION_VALUES);
    float max = -INFINITY;
    for (size_t n = 0; n < B * T && status == LAB_OK; n++) {
        const float *scores_b = scores + n / T * T * T, *v_b = v + n / T * T * C;
        max = n % T == 0 ? largest_seen(scores_b, T) : max;
        float *row = weights + n * T, sum = 0.0f;
        for (size_t s = 0; s < T; s++) {
            row[s] = s <= n % T ? expf(scores_b[n % T * T + s] - max) : 0.0f;
            sum += row[s];
        }
        for (size_t s = 0; s < T; s++) {
            row[s] = sum > 0.0f || !guarded ? row[s] / sum : 0.0f;
        }
        for (size_t c = 0; c < C; c++) {
            float mix = 0.0f;
            for (size_t s = 0; s < T; s++) {
                mix += row[s] * v_b[s * C + c];
            }
            out[n * C + c] = mix;
        }
    }
    return status;
}

static lab_status attend_max_of_sequence(ATTENTION_ARGUMENTS)
{
    return attend_one_maximum(true, ATTENTION_VALUES);
}

static lab_status attend_max_of_sequence_nan(ATTENTION_ARGUMENTS)
{
    return attend_one_maximum(false, ATTENTION_VALUES);
}

#define FROM_ZERO_WHY                                                                    \
    "If all scores of a row are far below that number, it stays the maximum, and every " \
    "exponential is 0. Start the search at -INFINITY."

const struct mistake causal_attention_mistakes[] = {
    {
        .id = "no-mask",
        .what = "there is no mask: this is lab 2's batched_attention",
        .why = "Only the last row is right, because the last token may see everything. "
               "Replace the softmax by masked_softmax with the causal mask.",
        .source = "paiml/entrenar#310, alex-matton/causal-transformer-decoder#1",
        .function = LIKE(causal_attention, attend_without_mask),
    },
    {
        .id = "upside-down",
        .what = "the mask is inverted: every token sees itself and the future",
        .why = "Row 0 should have weight 1 on key 0, but has weight everywhere. Row t is "
               "the query: allow s <= t.",
        .source = "rasbt/LLMs-from-scratch#1061, karpathy/nanoGPT#170",
        .function = LIKE(causal_attention, attend_upside_down),
    },
    {
        .id = "diagonal-excluded",
        .what = "no token sees itself, and token 0 sees nothing",
        .why = "The diagonal is allowed: s <= t, not s < t.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(causal_attention, attend_without_diagonal),
    },
    {
        .id = "sees-next",
        .what = "every token also sees the one after it",
        .why = "The diagonal is off by one: allow s <= t, not s <= t + 1.",
        .source = "TransformerLensOrg/TransformerLens#284",
        .function = LIKE(causal_attention, attend_sees_next),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(C)",
        .why = "Row 0 is right because a single key has weight 1 whatever its score. The "
               "other rows are too peaked.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(causal_attention, attend_without_scale),
    },
    {
        .id = "scale-first-sequence",
        .what = "only the scores of sequence 0 are divided by sqrt(C)",
        .why = "There are B * T * T scores, T * T for each sequence. The loop that "
               "divides must run over all of them.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_scale_first),
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
        .why = "The sum still includes the future. Pass the mask to masked_softmax "
               "together with the scores.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(causal_attention, attend_mask_after),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores become -10000 instead of -INFINITY",
        .why =
            "If the allowed scores are below -10000, the forbidden scores are the largest "
            "and later tokens get all the weight. -INFINITY is below every score.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(causal_attention, attend_minus_10000),
    },
    {
        .id = "added-minus-1e9",
        .what = "a finite number is added to forbidden scores, for example -30 or -1e9",
        .why = "A small number leaves weight on later tokens, and a large one is lost in "
               "rounding beside scores of 1e30. Their scores must become -INFINITY.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_added_minus_1e9),
    },
    {
        .id = "qk-swapped",
        .what = "q and k are swapped: the scores are k q^T",
        .why = "scores[t][s] is the query of token t with the key of token s: the first "
               "argument of batched_matmul_nt is q.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(causal_attention, attend_qk_swapped),
    },
    {
        .id = "one-sequence",
        .what = "every sequence uses the keys and values of sequence 0, not its own",
        .why =
            "Each sequence has its own keys and values: those of sequence b start b * T "
            "* C further on. Check the offsets, or use lab 2's batched products.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_one_sequence),
    },
    {
        .id = "row-of-batch",
        .what = "only sequence 0 is masked: the others see their whole future",
        .why =
            "Row n of the B * T rows of scores belongs to query n % T of its sequence. "
            "Compare the key with n % T, not with n.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_row_of_batch),
    },
    {
        .id = "no-max",
        .what = "the largest score is not subtracted before exp",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(causal_attention, attend_without_max),
    },
    {
        .id = "no-max-nan",
        .what =
            "the largest score is not subtracted before exp, and some rows are divided by a sum of 0",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(causal_attention, attend_without_max_nan),
    },
    {
        .id = "no-max-allowed-nan",
        .what = "the largest score is not subtracted before exp, and the allowed keys of "
                "some rows are divided by a sum of 0",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(causal_attention, attend_without_max_allowed),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0, or at another number, and misses "
            "rows of scores below it",
        .why = FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(causal_attention, attend_from_zero),
    },
    {
        .id = "max-from-zero-nan",
        .what =
            "the search for the maximum starts at 0, or at another number, and rows of "
            "scores below it are divided by a sum of 0",
        .why = FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(causal_attention, attend_from_zero_nan),
    },
    {
        .id = "max-of-sequence",
        .what =
            "the maximum of all scores of a sequence is subtracted, not each row's own",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0. Search for the maximum of each row.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_max_of_sequence),
    },
    {
        .id = "max-of-sequence-nan",
        .what =
            "the maximum of all scores of a sequence is subtracted, and some rows are "
            "divided by a sum of 0",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0, and 0/0 is NaN. Search for the maximum of each row.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_max_of_sequence_nan),
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum are those of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(causal_attention, attend_half_warp),
        .gpu = true,
    },
    {0},
};

ATTEND(attend_plain_loops, NO_FAULT)
ATTEND(attend_renormalized, RENORMALIZED)
ATTEND(attend_renormalized_in_double, RENORMALIZED_IN_DOUBLE)
ATTEND(attend_minus_1e9, FILL_MINUS_1E9)

// No mask: the loop over the keys ends at the query's own position.
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

const struct mistake causal_attention_alternatives[] = {
    {.id = "plain-loops", .function = LIKE(causal_attention, attend_plain_loops)},
    {.id = "renormalized", .function = LIKE(causal_attention, attend_renormalized)},
    {.id = "renormalized-in-double",
     .function = LIKE(causal_attention, attend_renormalized_in_double)},
    {.id = "minus-1e9", .function = LIKE(causal_attention, attend_minus_1e9)},
    {.id = "to-the-diagonal", .function = LIKE(causal_attention, attend_to_the_diagonal)},
    {0},
};
