// 05a_attention_mistakes.c - exercise 4.5: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/05_scaled_dot_product_attention.h"
#include "exercises/04/attention.h"
#include "exercises/common/log_softmax.h"

#include <math.h>
#include <string.h>

#include "04_multi_head/heads.h"

MAY(may_as_sequence_0, p->mask == NULL || p->mask[t * S + s])
MAY(may_repeated, p->mask == NULL || p->mask[((b * p->NH + h) % p->B * T + t) * S + s])
MAY(may_transposed, p->mask == NULL || p->mask[(b * S + s) * T + t])

MAY(may_as_query_0, p->mask == NULL || p->mask[b * T * S + s])
MAY(may_causal_when_square,
    p->mask != NULL ? p->mask[(b * T + t) * S + s] : T != S || s <= t)
MAY(may_causal_without_mask,
    p->mask != NULL ? p->mask[(b * T + t) * S + s] : s + T <= t + S)

#define SDPA_ARGUMENTS                                                                   \
    float *out, float *weights, float *scores, const float *q, const float *k,           \
        const float *v, const uint8_t *mask, size_t B, size_t NH, size_t T, size_t S,    \
        size_t hs

// SDPA(name, change): the right attention with a change to its plan p.
#define SDPA(name, change)                                                               \
    static lab_status name(SDPA_ARGUMENTS)                                               \
    {                                                                                    \
        if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        (void)scores;                                                                    \
        struct plan p = {                                                                \
            .out = out,                                                                  \
            .weights = weights,                                                          \
            .q = q,                                                                      \
            .k = k,                                                                      \
            .v = v,                                                                      \
            .out_at = head_major(NH, T, hs),                                             \
            .q_at = head_major(NH, T, hs),                                               \
            .k_at = head_major(NH, S, hs),                                               \
            .v_at = head_major(NH, S, hs),                                               \
            .mask = mask,                                                                \
            .may = may_as_asked,                                                         \
            .B = B,                                                                      \
            .NH = NH,                                                                    \
            .T = T,                                                                      \
            .S = S,                                                                      \
            .hs = hs,                                                                    \
            .scale = 1 / sqrt((double)hs),                                               \
        };                                                                               \
        change;                                                                          \
        return attend(&p);                                                               \
    }

SDPA(sdpa_no_scale, p.scale = 1)
SDPA(sdpa_sqrt_C, p.scale = 1 / sqrt((double)(NH * hs)))
SDPA(sdpa_sqrt_NH, p.scale = 1 / sqrt((double)NH))
SDPA(sdpa_sqrt_T, p.scale = 1 / sqrt((double)T))
SDPA(sdpa_over_hs, p.scale = 1 / (double)hs)
SDPA(sdpa_multiplied, p.scale = sqrt((double)hs))
SDPA(sdpa_columns, p.softmax = DOWN_COLUMNS)
SDPA(sdpa_no_mask, p.may = may_all)
SDPA(sdpa_mask_inverted, p.may = may_inverted)
SDPA(sdpa_mask_of_sequence_0, p.may = may_as_sequence_0)
SDPA(sdpa_mask_repeated, p.may = may_repeated)
SDPA(sdpa_mask_transposed, p.may = may_transposed)
SDPA(sdpa_mask_of_query_0, p.may = may_as_query_0)
SDPA(sdpa_causal_when_square, p.may = may_causal_when_square)
SDPA(sdpa_causal_without_mask, p.may = may_causal_without_mask)
SDPA(sdpa_first_head_scaled, p.scaled = T * S)
SDPA(sdpa_first_sequence_scaled, p.scaled = NH * T * S)
SDPA(sdpa_one_head_each_scaled, p.scaled = B * T * S)
SDPA(sdpa_scores_applied, p.scores_applied = true)
SDPA(sdpa_mask_after, p.softmax = MASK_AFTER)
SDPA(sdpa_mask_multiplied, p.softmax = MASK_MULTIPLIED)
SDPA(sdpa_mask_added, p.softmax = MASK_ADDED)
SDPA(sdpa_empty_row_nan, p.softmax = EMPTY_ROW_NAN)
SDPA(sdpa_empty_row_uniform, p.softmax = EMPTY_ROW_UNIFORM)
SDPA(sdpa_from_zero, p.softmax = FROM_ZERO)
SDPA(sdpa_from_1e9, p.softmax = FROM_1E9)
SDPA(sdpa_log_rounded, p.softmax = BY_LOG_SUM_ROUNDED)
SDPA(sdpa_log_sum_lost, p.softmax = BY_LOG_SUM_LOST)
SDPA(sdpa_minus_10000, p.softmax = MINUS_10000)
SDPA(sdpa_minus_10000_guarded, p.softmax = MINUS_10000_GUARDED)
SDPA(sdpa_added_minus_10000, p.softmax = ADDED_MINUS_10000)
SDPA(sdpa_added_minus_1e9, p.softmax = ADDED_MINUS_1E9)
SDPA(sdpa_added_minus_1e9_guarded, p.softmax = ADDED_MINUS_1E9_GUARDED)
SDPA(sdpa_k_not_transposed, (p.k_at.t = 1, p.k_at.c = S))
SDPA(sdpa_k_all_axes, p.order = ALL_AXES_TRANSPOSED)
SDPA(sdpa_exchanged, p.order = Q_AND_K_EXCHANGED)
SDPA(sdpa_values_are_keys, p.v = k)
SDPA(sdpa_head_0, p.k_at.h = p.v_at.h = 0)
SDPA(sdpa_sequence_0, p.k_at.b = p.v_at.b = 0)
SDPA(sdpa_no_stride, p.k_at.b = p.k_at.h = 0)
SDPA(sdpa_q_token_major, p.q_at = token_major(NH, T, hs))
SDPA(sdpa_k_token_major, p.k_at = token_major(NH, S, hs))
SDPA(sdpa_v_token_major, p.v_at = token_major(NH, S, hs))
SDPA(sdpa_all_token_major,
     (p.q_at = token_major(NH, T, hs), p.k_at = p.v_at = token_major(NH, S, hs)))
SDPA(sdpa_out_token_major, p.out_at = token_major(NH, T, hs))
SDPA(sdpa_plain, (void)p)
SDPA(sdpa_in_float, p.softmax = IN_FLOAT)
SDPA(sdpa_renormalized, p.softmax = RENORMALIZED)
SDPA(sdpa_minus_1e9, p.softmax = MINUS_1E9_GUARDED)

// The result on a GPU if the lanes of a warp do not exchange the maximum, the sum, or
// both, or only within each half of the warp. Lane l has only the keys l, l + 32, ...
enum { LANES = 32, OWN_MAXIMUM = 1, OWN_SUM = 2, HALVES = 4 };

// The part of the warp that shares what key s's lane has.
static size_t part_of(size_t s, int own)
{
    return own & HALVES ? s % LANES / (LANES / 2) : s % LANES;
}

// Over the keys of a part, or all.
static float part_maximum(const float *scores, const uint8_t *mask, size_t S, size_t part,
                          int own)
{
    float max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        const bool counts = !(own & OWN_MAXIMUM) || part_of(s, own) == part;
        const bool allowed = mask == NULL || mask[s];
        max = counts && allowed && scores[s] > max ? scores[s] : max;
    }
    return max;
}

static void softmax_by_lanes(float *weights, const float *scores, const uint8_t *mask,
                             size_t S, int own)
{
    float sums[LANES] = {0}, sum = 0;
    for (size_t s = 0; s < S; s++) {
        const bool allowed = mask == NULL || mask[s];
        const float max = part_maximum(scores, mask, S, part_of(s, own), own);
        weights[s] = allowed && max > -INFINITY ? expf(scores[s] - max) : 0;
        sums[part_of(s, own)] += weights[s];
        sum += weights[s];
    }
    for (size_t s = 0; s < S; s++) {
        const float divisor = own & OWN_SUM ? sums[part_of(s, own)] : sum;
        weights[s] = divisor > 0 ? weights[s] / divisor : 0;
    }
}

static lab_status sdpa_by_lanes(SDPA_ARGUMENTS, int own)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < B * NH * T; n++) { // n = (b NH + h) T + t
        const size_t i = n / T;
        const uint8_t *mask_n = mask == NULL ? NULL : mask + (i / NH * T + n % T) * S;
        float *scores_n = scores + n * S, *weights_n = weights + n * S;
        for (size_t s = 0; s < S; s++) {
            double dot = 0;
            for (size_t c = 0; c < hs; c++) {
                dot += (double)q[n * hs + c] * k[(i * S + s) * hs + c];
            }
            scores_n[s] = (float)(dot / sqrt((double)hs));
        }
        softmax_by_lanes(weights_n, scores_n, mask_n, S, own);
        for (size_t c = 0; c < hs; c++) {
            double sum = 0;
            for (size_t s = 0; s < S; s++) {
                sum += (double)weights_n[s] * v[(i * S + s) * hs + c];
            }
            out[n * hs + c] = (float)sum;
        }
    }
    return LAB_OK;
}

#define SDPA_VALUES out, weights, scores, q, k, v, mask, B, NH, T, S, hs

static lab_status sdpa_own_maximum(SDPA_ARGUMENTS)
{
    return sdpa_by_lanes(SDPA_VALUES, OWN_MAXIMUM);
}

static lab_status sdpa_own_sum(SDPA_ARGUMENTS)
{
    return sdpa_by_lanes(SDPA_VALUES, OWN_SUM);
}

static lab_status sdpa_own_row(SDPA_ARGUMENTS)
{
    return sdpa_by_lanes(SDPA_VALUES, OWN_MAXIMUM | OWN_SUM);
}

static lab_status sdpa_half_warp(SDPA_ARGUMENTS)
{
    return sdpa_by_lanes(SDPA_VALUES, OWN_MAXIMUM | OWN_SUM | HALVES);
}

#define FROM_WHY                                                                         \
    "If all allowed scores of a query are far below that number, it stays the maximum, " \
    "and every exponential is 0. Start the search at -INFINITY."
#define FINITE_WHY                                                                       \
    "If the allowed scores are near -20000, the forbidden scores are the largest and "   \
    "their keys get all the weight. -INFINITY is below every score. Use masked_softmax " \
    "of lab 3."
#define ADDED_WHY                                                                        \
    "Beside scores of 1e30, that number is lost in rounding, and a large forbidden "     \
    "score may stay the largest. Use masked_softmax of lab 3."

const struct mistake sdpa_mistakes[] = {
    {
        .id = "sqrt-C",
        .what = "the scores are divided by sqrt(C) = sqrt(NH * hs) instead of sqrt(hs)",
        .why = SQRT_C_WHY,
        .source = "Graylab/DL4Proteins-notebooks#12, "
                  "FareedKhan-dev/train-llm-from-scratch#3",
        .function = LIKE(scaled_dot_product_attention, sdpa_sqrt_C),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = "Their standard deviation is then sqrt(hs), and the weights are "
               "too peaked.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(scaled_dot_product_attention, sdpa_no_scale),
    },
    {
        .id = "sqrt-NH",
        .what = "the scores are divided by sqrt(NH) instead of sqrt(hs)",
        .why = "The scores of one head don't depend on the number of heads. They grow "
               "with the width of a head.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(scaled_dot_product_attention, sdpa_sqrt_NH),
    },
    {
        .id = "sqrt-T",
        .what = "the scores are divided by sqrt(T) instead of sqrt(hs)",
        .why = "The scores grow with the length of q and k, which is hs, not with the "
               "number of tokens.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_sqrt_T),
    },
    {
        .id = "over-hs",
        .what = "the scores are divided by hs instead of sqrt(hs)",
        .why = "The standard deviation of q . k is sqrt(hs). Divide only once: either "
               "q, or k, or the scores.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_over_hs),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(hs)",
        .why = "Divide by it: multiply by 1 / sqrt(hs), which is hs to the power -1/2.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(scaled_dot_product_attention, sdpa_multiplied),
    },
    {
        .id = "down-columns",
        .what = "the softmax runs down the columns",
        .why = "Here each key's weights (a column) sum to 1. Instead, each query's "
               "weights (a row of S) must sum to 1.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(scaled_dot_product_attention, sdpa_columns),
    },
    {
        .id = "mask-ignored",
        .what = "the mask has no effect",
        .why = "If mask is not NULL, call masked_softmax of lab 3 with the mask of "
               "this sequence.",
        .source = "paiml/entrenar#310",
        .function = LIKE(scaled_dot_product_attention, sdpa_no_mask),
    },
    {
        .id = "mask-inverted",
        .what = "the weight is on the forbidden keys",
        .why = "1 in the mask means \"may attend\". torch.nn.MultiheadAttention's "
               "attn_mask is the opposite.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_inverted),
    },
    {
        .id = "mask-of-sequence-0",
        .what = "every sequence uses the mask of sequence 0",
        .why = "The mask is (B,T,S). All heads of sequence b use the T * S numbers that "
               "start at mask + b * T * S.",
        .source = "lucidrains/graph-transformer-pytorch#2",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_of_sequence_0),
    },
    {
        .id = "mask-repeated",
        .what = "head i of all B * NH heads gets the mask of sequence i % B",
        .why = "The heads of one sequence are stored together: head i = b * NH + h "
               "belongs to sequence i / NH. Repeating the masks as b = 0 1 0 1 ... would "
               "be right for heads in the order (NH,B).",
        .source = "lsdefine/attention-is-all-you-need-keras#36",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_repeated),
    },
    {
        .id = "mask-transposed",
        .what = "the mask is read with rows and columns swapped",
        .why = "A row of the mask is a query and a column is a key: mask[(b * T + t) * S "
               "+ s].",
        .source = "charlesfrye/panndas#6",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_transposed),
    },
    {
        .id = "mask-of-query-0",
        .what = "every query uses the mask of query 0 of its sequence",
        .why = "Each query has its own row of the mask: mask[(b * T + t) * S + s]. The "
               "term t * S is missing.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_of_query_0),
    },
    {
        .id = "causal-when-square",
        .what = "without a mask the attention is causal where T = S",
        .why = "If mask is NULL, every key is allowed, whatever the sizes. For causal "
               "attention, multi_head_attention passes a mask.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_causal_when_square),
    },
    {
        .id = "causal-without-a-mask",
        .what = "without a mask the attention is causal",
        .why = "If mask is NULL, every key is allowed. For causal attention, "
               "multi_head_attention passes a mask.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_causal_without_mask),
    },
    {
        .id = "first-head-scaled",
        .what = "only the scores of head 0 of sequence 0 are divided by sqrt(hs)",
        .why = "There are B * NH * T * S scores. A loop over T * S of them ends after "
               "the first head.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_first_head_scaled),
    },
    {
        .id = "first-sequence-scaled",
        .what = "only the scores of sequence 0 are divided by sqrt(hs)",
        .why =
            "There are B * NH * T * S scores. A loop over NH * T * S of them ends after "
            "the first sequence.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_first_sequence_scaled),
    },
    {
        .id = "one-head-each-scaled",
        .what = "only the first B * T * S scores are divided by sqrt(hs)",
        .why = "There are B * NH * T * S of them: every head has T * S.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_one_head_each_scaled),
    },
    {
        .id = "scores-applied",
        .what = "out is computed from the scores, not from the weights",
        .why = "The last product is weights times v. Call the softmax before it.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_scores_applied),
    },
    {
        .id = "mask-after",
        .what = "the mask is applied after the softmax, and the rows sum to less than 1",
        .why = "The sum of the softmax still includes the forbidden keys. "
               "Use masked_softmax.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_after),
    },
    {
        .id = "mask-multiplied",
        .what = "the scores are multiplied by the mask before the softmax",
        .why = "A forbidden score becomes 0, and exp(0) is 1, so the key gets weight. "
               "Use masked_softmax.",
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_multiplied),
    },
    {
        .id = "mask-added",
        .what = "the mask's 0 or 1 is added to the scores before the softmax",
        .why = "This multiplies the weights of allowed keys by e = 2.718 and forbids "
               "nothing. Use masked_softmax.",
        .source = "bkitano/llama-from-scratch#6",
        .function = LIKE(scaled_dot_product_attention, sdpa_mask_added),
    },
    {
        .id = "fully-masked-nan",
        .what = "a query without an allowed key gets NaN instead of zeros",
        .why = "Its largest score is -INFINITY, and -INFINITY - -INFINITY is NaN. "
               "masked_softmax of lab 3 gives zeros.",
        .source = "pytorch/pytorch#131060, tracel-ai/burn#4694",
        .function = LIKE(scaled_dot_product_attention, sdpa_empty_row_nan),
    },
    {
        .id = "fully-masked-uniform",
        .what = "a query without an allowed key gets the same weight on every key",
        .why = "With a large negative number instead of -INFINITY, all its scores are "
               "equal. masked_softmax of lab 3 gives zeros, as required.",
        .source = "NVIDIA/apex#1390",
        .function = LIKE(scaled_dot_product_attention, sdpa_empty_row_uniform),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores become -10000 instead of -INFINITY",
        .why = FINITE_WHY,
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(scaled_dot_product_attention, sdpa_minus_10000),
    },
    {
        .id = "minus-10000-guarded",
        .what = "forbidden scores become -10000 (and a query without an allowed key gets "
                "zeros)",
        .why = FINITE_WHY,
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(scaled_dot_product_attention, sdpa_minus_10000_guarded),
    },
    {
        .id = "added-minus-10000",
        .what = "-10000 is added to forbidden scores, and for a query without an allowed "
                "key they get weight",
        .why = ADDED_WHY,
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(scaled_dot_product_attention, sdpa_added_minus_10000),
    },
    {
        .id = "added-minus-1e9",
        .what = "a number such as -1e9 is added to forbidden scores, and a query without "
                "an allowed key gets the same weight on every key",
        .why = ADDED_WHY,
        .source = "NVIDIA/apex#1390",
        .function = LIKE(scaled_dot_product_attention, sdpa_added_minus_1e9),
    },
    {
        .id = "added-minus-1e9-guarded",
        .what = "a number such as -10000 or -1e9 is added to forbidden scores (and a "
                "query without an allowed key gets zeros)",
        .why = ADDED_WHY,
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_added_minus_1e9_guarded),
    },
    {
        .id = "k-not-transposed",
        .what = "k is not transposed: its (S,hs) numbers are read as (hs,S)",
        .why = "Use batched_matmul_nt, which reads each key as a row of k, in the "
               "order in which it is stored.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_k_not_transposed),
    },
    {
        .id = "k-all-axes",
        .what = "all four axes of k are transposed, not only the last two",
        .why = "A key must meet the queries of its own sequence and head. Transpose "
               "only the last two axes.",
        .source = "HomericIntelligence/Odyssey#5648",
        .function = LIKE(scaled_dot_product_attention, sdpa_k_all_axes),
    },
    {
        .id = "qk-exchanged",
        .what = "q and k are swapped in the scores",
        .why = "scores[t][s] is query t with key s. Pass q first to batched_matmul_nt, "
               "with the sizes T, S, hs.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(scaled_dot_product_attention, sdpa_exchanged),
    },
    {
        .id = "values-are-keys",
        .what = "the weights are applied to the keys, not to the values",
        .why = "The keys determine the weights, and the weights mix the values: the last "
               "product is weights times v.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_values_are_keys),
    },
    {
        .id = "keys-of-head-0",
        .what = "all heads of a sequence use the keys and values of its head 0",
        .why = "Head h of sequence b starts (b * NH + h) * S * hs after the first one. "
               "(Sharing keys and values is called multi-query attention, but it is not "
               "asked for here.)",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_head_0),
    },
    {
        .id = "keys-of-sequence-0",
        .what = "every sequence uses the keys and values of sequence 0",
        .why = "Each sequence has its own keys and values: head h of sequence b has "
               "matrix b * NH + h.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_sequence_0),
    },
    {
        .id = "q-not-transposed",
        .what = "only q is read as (B,T,NH,hs): its heads and tokens are swapped",
        .why =
            "q is (B,NH,T,hs), like k and v: query t of head h is row (b * NH + h) * T + "
            "t. With T = NH all shapes fit.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(scaled_dot_product_attention, sdpa_q_token_major),
    },
    {
        .id = "k-not-in-heads",
        .what = "only k is read as (B,S,NH,hs): its heads and tokens are swapped",
        .why = "k is (B,NH,S,hs): key s of head h is row (b * NH + h) * S + s.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(scaled_dot_product_attention, sdpa_k_token_major),
    },
    {
        .id = "v-not-in-heads",
        .what = "only v is read as (B,S,NH,hs): its heads and tokens are swapped",
        .why = "v is (B,NH,S,hs). The weights are right but applied to the wrong rows.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(scaled_dot_product_attention, sdpa_v_token_major),
    },
    {
        .id = "none-in-heads",
        .what = "q, k and v are read as (B,T,NH,hs)",
        .why = "split_heads has already brought the heads to the front: all three "
               "are (B,NH,T,hs).",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(scaled_dot_product_attention, sdpa_all_token_major),
    },
    {
        .id = "out-merged",
        .what = "out is written as (B,T,NH,hs)",
        .why = "out is (B,NH,T,hs). Only merge_heads moves the heads after the tokens.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_out_token_major),
    },
    {
        .id = "stride-forgotten",
        .what = "every head of every sequence uses the keys of the first one",
        .why = "The keys of head h of sequence b start (b * NH + h) * S * hs after the "
               "first ones. In a batched product, the stride is S * hs.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_no_stride),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0, or at another number, and misses "
            "rows of scores below it",
        .why = FROM_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(scaled_dot_product_attention, sdpa_from_zero),
    },
    {
        .id = "max-from-minus-1e9",
        .what = "the search for the maximum starts at a number such as -1e9 and misses "
                "rows of scores below it",
        .why = FROM_WHY,
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_from_1e9),
    },
    {
        .id = "logarithm-rounded",
        .what = "the weights are their logarithms (log-softmax), and log sum is added to "
                "the maximum first",
        .why = LOGARITHM_WHY,
        .function = LIKE(scaled_dot_product_attention, sdpa_log_rounded),
    },
    {
        .id = "log-sum-lost",
        .what = LOG_SUM_LOST_WHAT,
        .why = LOG_SUM_LOST_WHY,
        .function = LIKE(scaled_dot_product_attention, sdpa_log_sum_lost),
    },
    {
        .id = "own-maximum",
        .what = "every thread subtracts the largest score of its own keys, not of "
                "the row",
        .why = "Each lane of a warp reads only every 32nd key. __shfl_xor_sync with 16, "
               "8, 4, 2 and 1 brings the largest score of all lanes to every lane.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(scaled_dot_product_attention, sdpa_own_maximum),
        .gpu = true,
    },
    {
        .id = "own-sum",
        .what = "every thread divides by the sum of its own exponentials",
        .why = "Each lane of a warp reads only every 32nd key. __shfl_xor_sync with 16, "
               "8, 4, 2 and 1 brings the sum of all lanes to every lane.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_own_sum),
        .gpu = true,
    },
    {
        .id = "own-row",
        .what = "every thread uses the maximum and the sum of its own keys, "
                "not of the row",
        .why = "Each lane of a warp reads only every 32nd key. __shfl_xor_sync with 16, "
               "8, 4, 2 and 1 brings the largest score, and then the sum, of all lanes "
               "to every lane.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(scaled_dot_product_attention, sdpa_own_row),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum are those of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(scaled_dot_product_attention, sdpa_half_warp),
        .gpu = true,
    },
    {0},
};

// One key after another, without a row of scores. When a larger score comes, it rescales
// the sums. A second pass computes the weights.
static lab_status sdpa_online(SDPA_ARGUMENTS)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    (void)scores;
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        const uint8_t *mask_t = mask == NULL ? NULL : mask + (i / NH * T + t) * S;
        float *out_n = out + n * hs, max = -INFINITY, sum = 0.0f;
        memset(out_n, 0, hs * sizeof *out_n);
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += scale * q[n * hs + c] * k[(i * S + s) * hs + c];
            }
            weights[n * S + s] = mask_t == NULL || mask_t[s] ? dot : -INFINITY;
            if (weights[n * S + s] == -INFINITY) {
                continue;
            }
            const float larger = fmaxf(max, dot), old = expf(max - larger);
            const float new = expf(dot - larger);
            sum = sum * old + new;
            for (size_t c = 0; c < hs; c++) {
                out_n[c] = out_n[c] * old + new *v[(i * S + s) * hs + c];
            }
            max = larger;
        }
        for (size_t c = 0; c < hs && sum > 0.0f; c++) {
            out_n[c] /= sum;
        }
        for (size_t s = 0; s < S; s++) {
            float *w = weights + n * S + s;
            *w = *w == -INFINITY ? 0.0f : expf(*w - max) / sum;
        }
    }
    return LAB_OK;
}

const struct mistake sdpa_alternatives[] = {
    {.id = "in-double", .function = LIKE(scaled_dot_product_attention, sdpa_plain)},
    {.id = "in-float", .function = LIKE(scaled_dot_product_attention, sdpa_in_float)},
    {.id = "renormalized",
     .function = LIKE(scaled_dot_product_attention, sdpa_renormalized)},
    {.id = "online", .function = LIKE(scaled_dot_product_attention, sdpa_online)},
    {.id = "minus-1e9", .function = LIKE(scaled_dot_product_attention, sdpa_minus_1e9)},
    {0},
};
