// 04a_grouped_query_mistakes.c - exercise 9.4: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/09/04_grouped_query_attention.h"
#include "exercises/09/glance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "04_multi_head/heads.h"
#include "09_generation/generation.h"

#define GQA_ARGUMENTS                                                                    \
    float *out, float *weights, float *scores, const float *q, const float *k,           \
        const float *v, const uint8_t *mask, size_t B, size_t NH, size_t NKV, size_t T,  \
        size_t S, size_t hs

static bool gqa_refuses(size_t B, size_t NH, size_t NKV, size_t T, size_t S, size_t hs)
{
    return B == 0 || NH == 0 || NKV == 0 || T == 0 || S == 0 || hs == 0 || NH % NKV != 0;
}

// GQA_IF(name, refuses, k_head, v_head, row, change): the heads of keys and of values, counted over
// all sequences, and the row of the mask are expressions of b, h, t, i = b NH + h, G and the sizes;
// change is one to g, what a query does.
#define GQA_IF(name, refuses, k_head, v_head, row, change)                               \
    static lab_status name(GQA_ARGUMENTS)                                                \
    {                                                                                    \
        (void)scores;                                                                    \
        if (refuses) {                                                                   \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t G = NH / NKV;                                                       \
        (void)G;                                                                         \
        for (size_t n = 0; n < B * NH * T; n++) {                                        \
            const size_t i = n / T, t = n % T, b = i / NH, h = i % NH;                   \
            const size_t key = (k_head), value = (v_head), mask_row = (row);             \
            (void)b, (void)h, (void)t;                                                   \
            if (key >= B * NKV || value >= B * NKV || mask_row >= B * T) {               \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            struct glance g =                                                            \
                right_glance(out + n * hs, weights + n * S, q + n * hs,                  \
                             k + key * S * hs, v + value * S * hs, S, S, hs);            \
            g.may = mask == NULL ? NULL : mask + mask_row * S;                           \
            g.guarded = true;                                                            \
            change;                                                                      \
            LAB_TRY(glance(&g));                                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

#define REFUSES gqa_refuses(B, NH, NKV, T, S, hs)
#define GROUP (b * NKV + h / G)
#define ROW (b * T + t)
#define GQA(name, change) GQA_IF(name, REFUSES, GROUP, GROUP, ROW, change)
#define GQA_HEADS(name, k_head, v_head)                                                  \
    GQA_IF(name, REFUSES, k_head, v_head, ROW, (void)g)
#define GQA_MASK(name, row)                                                              \
    GQA_IF(name, REFUSES, GROUP, GROUP, mask != NULL ? (row) : 0, (void)g)

GQA_HEADS(gqa_interleaved, b *NKV + h % NKV, b *NKV + h % NKV)
GQA_HEADS(gqa_by_NKV, b *NKV + h / NKV, b *NKV + h / NKV)
GQA_HEADS(gqa_head_0, b *NKV, b *NKV)
GQA_HEADS(gqa_sequence_0, h / G, h / G)
GQA_HEADS(gqa_all_interleaved, i % NKV, i % NKV)
GQA_HEADS(gqa_over_all, i % (B * NKV), i % (B * NKV))
GQA_HEADS(gqa_values_interleaved, GROUP, b *NKV + h % NKV)
GQA_HEADS(gqa_keys_interleaved, b *NKV + h % NKV, GROUP)
GQA_HEADS(gqa_backwards, b *NKV + NKV - 1 - h / G, b *NKV + NKV - 1 - h / G)
GQA_HEADS(gqa_clamped, b *NKV + (h < NKV ? h : NKV - 1), b *NKV + (h < NKV ? h : NKV - 1))
GQA_IF(gqa_not_grouped, REFUSES || NKV != NH, GROUP, GROUP, ROW, (void)g)

GQA_MASK(gqa_mask_of_sequence_0, t)
GQA_MASK(gqa_mask_repeated, i % B * T + t)
GQA_MASK(gqa_mask_of_head, h *T + t)
GQA_MASK(gqa_mask_of_query_0, b *T)
GQA(gqa_no_mask, g.may = NULL)
GQA(gqa_mask_inverted, g.may_not = true)
GQA(gqa_mask_transposed,
    (g.may = mask == NULL ? NULL : mask + b * S * T + t, g.may_stride = T))
GQA(gqa_mask_after, g.softmax = MASK_AFTER)
GQA(gqa_mask_multiplied, g.softmax = MASK_MULTIPLIED)
GQA(gqa_mask_added, g.softmax = MASK_ADDED)
GQA(gqa_minus_10000, g.softmax = FILLED_1E4)
GQA(gqa_minus_10000_guarded, (g.softmax = FILLED_1E4, g.zeros_if_none_allowed = true))
GQA(gqa_empty_nan, g.softmax = EMPTY_ROW_NAN)
GQA(gqa_empty_uniform, g.softmax = EMPTY_ROW_UNIFORM)
GQA(gqa_causal_without_mask, (g.S = mask == NULL && t < S ? t + 1 : S))

GQA(gqa_no_scale, g.scale = 1)
GQA(gqa_over_hs, g.scale = 1 / (double)hs)
GQA(gqa_multiplied, g.scale = sqrt((double)hs))
GQA(gqa_sqrt_C, g.scale = 1 / sqrt((double)(NH * hs)))
GQA(gqa_sqrt_group, g.scale = 1 / sqrt((double)(G * hs)))
GQA(gqa_sqrt_NH, g.scale = 1 / sqrt((double)NH))
GQA(gqa_some_scaled, g.scale = i < B * NKV ? g.scale : 1)
GQA(gqa_group_scaled, g.scale = i < NKV ? g.scale : 1)
GQA(gqa_root_cut_off, g.scale = 1 / floor(sqrt((double)hs)))
GQA(gqa_integer_scale, g.scale = (double)(1 / (size_t)sqrt((double)hs)))
GQA(gqa_base_2, g.softmax = BASE_2)
GQA(gqa_no_maximum, g.softmax = NO_MAXIMUM)
GQA(gqa_maximum_from_0, g.softmax = MAXIMUM_FROM_0)
GQA(gqa_maximum_from_1e4, g.softmax = MAXIMUM_FROM_1E4)
GQA(gqa_maximum_from_1e9, g.softmax = MAXIMUM_FROM_1E9)
GQA(gqa_scores_applied, g.scores_applied = true)
GQA(gqa_values_are_keys, g.values = g.keys)
GQA(gqa_k_not_transposed, (g.key_stride = 1, g.channel_stride = S))
GQA(gqa_token_major,
    (g.keys = k + (b * S * NKV + h / G) * hs, g.values = v + (b * S * NKV + h / G) * hs,
     g.key_stride = g.value_stride = NKV * hs))
GQA(gqa_q_token_major, g.q = q + ((b * T + t) * NH + h) * hs)
GQA(gqa_q_by_group, g.q = q + ((b * NKV + h / G) * G * T + t * G + h % G) * hs)
GQA(gqa_out_token_major, g.out = out + ((b * T + t) * NH + h) * hs)
GQA(gqa_own_maximum, g.softmax = OWN_MAXIMUM)
GQA(gqa_own_sum, g.softmax = OWN_SUM)
GQA(gqa_own_row, g.softmax = OWN_ROW)
GQA(gqa_first_keys, (g.S = g.S < GLANCE_LANES ? g.S : GLANCE_LANES, g.tail_left = true))
GQA(gqa_own_warp, g.softmax = OWN_WARP)
GQA(gqa_first_warp, g.softmax = FIRST_WARP)
GQA(gqa_half_warp, g.softmax = HALF_WARP)

#define GROUPS_OF_NEIGHBORS                                                              \
    "G = NH / NKV consecutive query heads share a key head: with NH = 6 and NKV = 3, "   \
    "query heads 0 and 1 read key head 0, and 2 and 3 read key head 1. g = h / G."
#define USE_MASKED_SOFTMAX "Use masked_softmax of lab 3."
#define MINUS_10000_WHY                                                                  \
    "If the allowed scores are below that number, the forbidden scores are the largest " \
    "and their keys get all the weight. -INFINITY is below every "                       \
    "score. " USE_MASKED_SOFTMAX
const struct mistake gqa_mistakes[] = {
    {
        .id = "heads-interleaved",
        .what = "query head h reads key head h % NKV",
        .why = GROUPS_OF_NEIGHBORS,
        .source = "onnx/onnx#7274, apple/axlearn#842",
        .function = LIKE(grouped_query_attention, gqa_interleaved),
    },
    {
        .id = "divided-by-NKV",
        .what = "query head h reads key head h / NKV",
        .why =
            "NKV is the number of groups, G = NH / NKV the size of one. " GROUPS_OF_NEIGHBORS,
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_by_NKV),
    },
    {
        .id = "keys-of-head-0",
        .what = "all query heads of a sequence read its key head 0",
        .why = "That is right only if NKV is 1. " GROUPS_OF_NEIGHBORS,
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_head_0),
    },
    {
        .id = "keys-of-sequence-0",
        .what = "every sequence uses the keys and values of sequence 0",
        .why = "Each sequence has its own keys: head g of sequence b is number b * NKV "
               "+ g.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_sequence_0),
    },
    {
        .id = "heads-interleaved-0",
        .what = "head i of all B * NH heads reads key head i % NKV of sequence 0",
        .why = "Each sequence has its own keys: head g of sequence b is number "
               "b * NKV + g. " GROUPS_OF_NEIGHBORS,
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_all_interleaved),
    },
    {
        .id = "heads-wrapped",
        .what = "head i of all B * NH heads reads head i % (B * NKV) of the keys",
        .why = GROUPS_OF_NEIGHBORS " Counted over all sequences that is i / G.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_over_all),
    },
    {
        .id = "values-interleaved",
        .what = "query head h reads the keys of its group, but value head h % NKV",
        .why = GROUPS_OF_NEIGHBORS " The values are grouped like the keys.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_values_interleaved),
    },
    {
        .id = "keys-interleaved",
        .what = "query head h reads the values of its group, but key head h % NKV",
        .why = GROUPS_OF_NEIGHBORS " The values are grouped like the keys.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_keys_interleaved),
    },
    {
        .id = "groups-backwards",
        .what = "the first query heads read the last key head",
        .why = GROUPS_OF_NEIGHBORS,
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_backwards),
    },
    {
        .id = "last-head-shared",
        .what = "query head h reads key head h, and query heads from NKV on read the "
                "last one",
        .why = GROUPS_OF_NEIGHBORS,
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_clamped),
    },
    {
        .id = "groups-refused",
        .what = "an NKV below NH is refused",
        .why = "NKV may be any divisor of NH, from NH down to 1.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_not_grouped),
    },
    {
        .id = "mask-ignored",
        .what = "the mask has no effect",
        .why = "If mask is not NULL, call masked_softmax of lab 3 with the mask of this "
               "sequence.",
        .source = "paiml/entrenar#310",
        .function = LIKE(grouped_query_attention, gqa_no_mask),
    },
    {
        .id = "mask-inverted",
        .what = "the weight is on the forbidden keys",
        .why = "1 in the mask means \"may see\". torch.nn.MultiheadAttention's attn_mask "
               "is the opposite.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(grouped_query_attention, gqa_mask_inverted),
    },
    {
        .id = "mask-of-sequence-0",
        .what = "every sequence uses the mask of sequence 0",
        .why = "The mask is (B,T,S). All heads of sequence b use the T * S numbers that "
               "start at mask + b * T * S.",
        .source = "lucidrains/graph-transformer-pytorch#2",
        .function = LIKE(grouped_query_attention, gqa_mask_of_sequence_0),
    },
    {
        .id = "mask-repeated",
        .what = "head i of all B * NH heads gets the mask of sequence i % B",
        .why = "The heads of one sequence are stored together: head i = b * NH + h "
               "belongs to sequence i / NH.",
        .source = "lsdefine/attention-is-all-you-need-keras#36",
        .function = LIKE(grouped_query_attention, gqa_mask_repeated),
    },
    {
        .id = "mask-of-the-head",
        .what = "head h of every sequence gets the mask of sequence h",
        .why = "The mask is (B,T,S), the same for all heads of a sequence: mask + "
               "b * T * S.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_mask_of_head),
    },
    {
        .id = "mask-transposed",
        .what = "the mask is read with rows and columns swapped",
        .why = "A row of the mask is a query and a column is a key: mask[(b * T + t) * S "
               "+ s].",
        .source = "charlesfrye/panndas#6",
        .function = LIKE(grouped_query_attention, gqa_mask_transposed),
    },
    {
        .id = "mask-of-query-0",
        .what = "every query uses the mask of query 0 of its sequence",
        .why = "Each query has its own row of the mask: mask[(b * T + t) * S + s].",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_mask_of_query_0),
    },
    {
        .id = "mask-after",
        .what = "the mask is applied after the softmax, and the rows sum to less than 1",
        .why = "The sum of the softmax still includes the forbidden "
               "keys. " USE_MASKED_SOFTMAX,
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(grouped_query_attention, gqa_mask_after),
    },
    {
        .id = "mask-multiplied",
        .what = "the scores are multiplied by the mask before the softmax",
        .why = "A forbidden score becomes 0, and exp(0) is 1, so the key gets "
               "weight. " USE_MASKED_SOFTMAX,
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(grouped_query_attention, gqa_mask_multiplied),
    },
    {
        .id = "mask-added",
        .what = "the mask's 0 or 1 is added to the scores before the softmax",
        .why = "This multiplies the weights of allowed keys by e = 2.718 and forbids "
               "nothing. " USE_MASKED_SOFTMAX,
        .source = "bkitano/llama-from-scratch#6",
        .function = LIKE(grouped_query_attention, gqa_mask_added),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores become a number such as -10000 instead of -INFINITY",
        .why = MINUS_10000_WHY,
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(grouped_query_attention, gqa_minus_10000),
    },
    {
        .id = "minus-10000-guarded",
        .what = "forbidden scores become a number such as -10000 (and a query without an "
                "allowed key gets zeros)",
        .why = MINUS_10000_WHY,
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(grouped_query_attention, gqa_minus_10000_guarded),
    },
    {
        .id = "fully-masked-nan",
        .what = "a query without an allowed key gets NaN instead of zeros",
        .why = "Its largest score is -INFINITY, and -INFINITY - -INFINITY is NaN. "
               "masked_softmax of lab 3 gives zeros.",
        .source = "pytorch/pytorch#131060, tracel-ai/burn#4694",
        .function = LIKE(grouped_query_attention, gqa_empty_nan),
    },
    {
        .id = "fully-masked-uniform",
        .what = "a query without an allowed key gets the same weight on every key",
        .why = "With a large negative number instead of -INFINITY, all its scores are "
               "equal. masked_softmax of lab 3 gives zeros, as required.",
        .source = "NVIDIA/apex#1390",
        .function = LIKE(grouped_query_attention, gqa_empty_uniform),
    },
    {
        .id = "causal-without-a-mask",
        .what = "without a mask, query t sees the keys up to t",
        .why = "If mask is NULL, every key is allowed.",
        .source = "pytorch/pytorch#108108",
        .function = LIKE(grouped_query_attention, gqa_causal_without_mask),
    },
    SCALE_MISTAKES(grouped_query_attention, gqa),
    {
        .id = "sqrt-group",
        .what = "the scores are divided by sqrt(G * hs) instead of sqrt(hs)",
        .why = "A group shares its keys, but each of its heads multiplies vectors of hs "
               "numbers.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_sqrt_group),
    },
    {
        .id = "sqrt-NH",
        .what = "the scores are divided by sqrt(NH) instead of sqrt(hs)",
        .why = "The scores of one head don't depend on the number of heads. They grow "
               "with the width of a head.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(grouped_query_attention, gqa_sqrt_NH),
    },
    {
        .id = "some-heads-scaled",
        .what = "only the first B * NKV * T * S scores are divided by sqrt(hs)",
        .why = "There are B * NH * T * S scores: every query head has its own.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_some_scaled),
    },
    {
        .id = "fewer-heads-scaled",
        .what = "only the first NKV * T * S scores are divided by sqrt(hs)",
        .why = "There are B * NH * T * S scores: every query head has its own.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_group_scaled),
    },
    {
        .id = "no-maximum",
        .what = "the softmax does not subtract the largest score",
        .why = "exp overflows above 88. Subtract the largest allowed score of the row "
               "first.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(grouped_query_attention, gqa_no_maximum),
    },
    {
        .id = "maximum-from-0",
        .what = "the search for the largest score starts at 0",
        .why = "If all scores are below -100, exp(score - 0) is 0 for all of them. Start "
               "with -INFINITY.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_maximum_from_0),
    },
    LOW_START_MISTAKES(grouped_query_attention, gqa),
    {
        .id = "scores-applied",
        .what = "out is computed from the scores, not from the weights",
        .why = "The last product is weights times v.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_scores_applied),
    },
    {
        .id = "values-are-keys",
        .what = "the weights are applied to the keys, not to the values",
        .why = "The keys determine the weights, and the weights mix the values.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_values_are_keys),
    },
    {
        .id = "k-not-transposed",
        .what = "k is not transposed: its (S,hs) numbers are read as (hs,S)",
        .why = "Use batched_matmul_nt, which reads each key as a row of k, in the "
               "order in which it is stored.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_k_not_transposed),
    },
    {
        .id = "keys-not-in-heads",
        .what = "k and v are read as (B,S,NKV,hs)",
        .why = "They are (B,NKV,S,hs): the keys of one head are contiguous.",
        .source = "ByteDance-Seed/VeOmni#162",
        .function = LIKE(grouped_query_attention, gqa_token_major),
    },
    {
        .id = "q-not-in-heads",
        .what = "only q is read as (B,T,NH,hs)",
        .why = "q is (B,NH,T,hs): query t of head h is row (b * NH + h) * T + t.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(grouped_query_attention, gqa_q_token_major),
    },
    {
        .id = "q-by-group",
        .what = "the queries of a group are read as (T,G,hs), not as (G,T,hs)",
        .why = "The T queries of one head are contiguous, also within a group.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_q_by_group),
    },
    {
        .id = "out-merged",
        .what = "out is written as (B,T,NH,hs)",
        .why = "out is (B,NH,T,hs). Only merge_heads moves the heads after the tokens.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_out_token_major),
    },
    {
        .id = "own-maximum",
        .what = "every thread subtracts the largest score of its own keys, not of the "
                "row",
        .why = LANES_WHY "the largest score of all threads to each of them.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(grouped_query_attention, gqa_own_maximum),
        .gpu = true,
    },
    {
        .id = "own-sum",
        .what = "every thread divides by the sum of its own exponentials",
        .why = LANES_WHY "the sum of all threads to each of them.",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_own_sum),
        .gpu = true,
    },
    {
        .id = "own-row",
        .what = "every thread uses the maximum and the sum of its own keys, not of the "
                "row",
        .why = LANES_WHY
        "the largest score, and then the sum, of all threads to each of them.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(grouped_query_attention, gqa_own_row),
        .gpu = true,
    },
    {
        .id = "first-block-of-keys",
        .what = "only the first BLOCK = 128 keys count",
        .why = "A thread has more than one key if there are more than BLOCK: for (s = "
               "threadIdx.x; s < S; s += BLOCK), not if (threadIdx.x < S).",
        .source = NULL,
        .function = LIKE(grouped_query_attention, gqa_first_keys),
        .gpu = true,
    },
    WARP_MISTAKES(grouped_query_attention, gqa),
    {0},
};

GQA(gqa_plain, (void)g)
GQA(gqa_in_float, g.softmax = IN_FLOAT)

// The keys and values of each group are copied for every head of it; then it is lab 4's.
static lab_status gqa_copied(GQA_ARGUMENTS)
{
    if (gqa_refuses(B, NH, NKV, T, S, hs)) {
        return LAB_ESHAPE;
    }
    lab_status status = LAB_ENOMEM;
    const size_t G = NH / NKV, head = S * hs;
    float *keys = malloc(B * NH * head * sizeof *keys);
    float *values = malloc(B * NH * head * sizeof *values);
    if (keys != NULL && values != NULL) {
        for (size_t i = 0; i < B * NH; i++) {
            memcpy(keys + i * head, k + i / G * head, head * sizeof *k);
            memcpy(values + i * head, v + i / G * head, head * sizeof *v);
        }
        status = scaled_dot_product_attention(out, weights, scores, q, keys, values, mask,
                                              B, NH, T, S, hs);
    }
    free(keys);
    free(values);
    return status;
}

const struct mistake gqa_alternatives[] = {
    {.id = "in-double", .function = LIKE(grouped_query_attention, gqa_plain)},
    {.id = "in-float", .function = LIKE(grouped_query_attention, gqa_in_float)},
    {.id = "copied", .function = LIKE(grouped_query_attention, gqa_copied)},
    {0},
};
