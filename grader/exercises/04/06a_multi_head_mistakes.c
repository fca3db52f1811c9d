// 06a_multi_head_mistakes.c - exercise 4.6: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/06_multi_head_attention.h"
#include "exercises/04/attention.h"
#include "exercises/04/shared.h"

#include <math.h>
#include <string.h>

#include "04_multi_head/heads.h"

// The places in qkv from which q, k and v are read.
enum packing { THIRDS, IN_TURNS, THIRDS_OF_HEADS, BLOCKS };

// A multi-head attention: the projection, the split, the plan of the heads, the output.
struct whole {
    struct plan heads; // q, k, v are the buffers (B,T,C), out is buffers->merged
    struct attention_params w;
    enum packing packing;
    size_t order[3]; // which third is q, which k, which v
    bool w_qkv_in_out, w_o_in_out, input_split, no_output_projection;
    size_t C_in, C;
};

// Every head sees only its own part of the input; all heads share one small projection.
static void project_split(float *qkv, const struct whole *a, const float *x)
{
    const size_t C = a->C, hs = a->heads.hs, part = a->C_in / a->heads.NH;
    for (size_t n = 0; n < a->heads.B * a->heads.T; n++) {
        for (size_t o = 0; o < 3 * C; o++) {
            const size_t h = o % C / hs, row = o / C * C + o % C % hs;
            double sum = a->w.b_qkv == NULL ? 0 : (double)a->w.b_qkv[row];
            for (size_t i = 0; i < part; i++) {
                sum += (double)x[n * a->C_in + h * part + i] *
                       (double)a->w.w_qkv[row * a->C_in + i];
            }
            qkv[n * 3 * C + o] = (float)sum;
        }
    }
}

static size_t packed_at(const struct whole *a, size_t which, size_t n, size_t c)
{
    const size_t C = a->C, hs = a->heads.hs;
    switch (a->packing) {
    case IN_TURNS:
        return (n * C + c) * 3 + which;
    case THIRDS_OF_HEADS:
        return n * 3 * C + (c / hs * 3 + which) * hs + c % hs;
    case BLOCKS:
        return (which * a->heads.B * a->heads.T + n) * C + c;
    default:
        return (n * 3 + a->order[which]) * C + c;
    }
}

static lab_status run_whole(const struct whole *a, float *out,
                            const struct attention_buffers *z, const float *x)
{
    const size_t N = a->heads.B * a->heads.T, C = a->C;
    if (a->input_split) {
        project_split(z->qkv, a, x);
    } else {
        project(z->qkv, x, a->w.w_qkv, a->w.b_qkv, a->w_qkv_in_out, N, a->C_in, 3 * C);
    }
    for (size_t i = 0; i < N * C; i++) {
        z->q[i] = z->qkv[packed_at(a, 0, i / C, i % C)];
        z->k[i] = z->qkv[packed_at(a, 1, i / C, i % C)];
        z->v[i] = z->qkv[packed_at(a, 2, i / C, i % C)];
    }
    lab_status status = attend(&a->heads);
    if (status != LAB_OK) {
        return status;
    }
    if (a->no_output_projection) {
        memcpy(out, z->merged, N * C * sizeof *out);
    } else {
        project(out, z->merged, a->w.w_o, a->w.b_o, a->w_o_in_out, N, C, C);
    }
    return LAB_OK;
}

MAY(may_upside_down, s >= t)
MAY(may_future_only, s > t)
MAY(may_past_only, s < t)
MAY(may_next, s <= t + 1)
MAY(may_causal_in_sequence_0, b > 0 || s <= t)

// The mask of a call that writes it if causal, and always uses it.
static const uint8_t *mask_written(uint8_t *mask, bool causal, size_t B, size_t T)
{
    for (size_t i = 0; i < B * T * T && causal; i++) {
        mask[i] = i % T <= i / T % T;
    }
    return mask;
}

#define MHA_ARGUMENTS                                                                    \
    float *out, float *weights, const struct attention_buffers *buffers, const float *x, \
        const struct attention_params *params, bool causal, size_t B, size_t T,          \
        size_t C_in, size_t C, size_t NH

#define ORDER_OR_EXCHANGED_WHY                                                           \
    ORDER_WHY " The same happens if two of q_heads, k_heads and v_heads are exchanged "  \
              "in a call."

// MHA(name, change): the right attention with a change to a, or to p, the plan of its heads.
#define MHA(name, change)                                                                \
    static lab_status name(MHA_ARGUMENTS)                                                \
    {                                                                                    \
        if (B == 0 || T == 0 || C_in == 0 || C == 0 || NH == 0 || C % NH != 0) {         \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t hs = C / NH;                                                        \
        struct whole a = {.w = *params, .order = {0, 1, 2}, .C_in = C_in, .C = C};       \
        struct plan *p = &a.heads;                                                       \
        *p = (struct plan){                                                              \
            .out = buffers->merged,                                                      \
            .weights = weights,                                                          \
            .q = buffers->q,                                                             \
            .k = buffers->k,                                                             \
            .v = buffers->v,                                                             \
            .out_at = token_major(NH, T, hs),                                            \
            .q_at = token_major(NH, T, hs),                                              \
            .k_at = token_major(NH, T, hs),                                              \
            .v_at = token_major(NH, T, hs),                                              \
            .may = causal ? may_causal : may_all,                                        \
            .B = B,                                                                      \
            .NH = NH,                                                                    \
            .T = T,                                                                      \
            .S = T,                                                                      \
            .hs = hs,                                                                    \
            .scale = 1 / sqrt((double)hs),                                               \
        };                                                                               \
        change;                                                                          \
        return run_whole(&a, out, buffers, x);                                           \
    }

MHA(mha_q_as_it_lies, p->q_at = AS_IT_LIES)
MHA(mha_k_as_it_lies, p->k_at = AS_IT_LIES)
MHA(mha_v_as_it_lies, p->v_at = AS_IT_LIES)
MHA(mha_all_as_they_lie, p->q_at = p->k_at = p->v_at = AS_IT_LIES)
MHA(mha_out_as_it_lies, p->out_at = AS_IT_LIES)
MHA(mha_never_transposed, p->q_at = p->k_at = p->v_at = p->out_at = AS_IT_LIES)
MHA(mha_sqrt_C, p->scale = 1 / sqrt((double)C))
MHA(mha_sqrt_NH, p->scale = 1 / sqrt((double)NH))
MHA(mha_no_scale, p->scale = 1)
MHA(mha_over_hs, p->scale = 1 / (double)hs)
MHA(mha_multiplied, p->scale = sqrt((double)hs))
MHA(mha_columns, p->softmax = DOWN_COLUMNS)
MHA(mha_never_causal, p->may = may_all)
MHA(mha_always_causal, p->may = may_causal)
MHA(mha_flag_inverted, p->may = causal ? may_all : may_causal)
MHA(mha_upside_down, p->may = causal ? may_upside_down : may_all)
MHA(mha_future_only, p->may = causal ? may_future_only : may_all)
MHA(mha_past_only, p->may = causal ? may_past_only : may_all)
MHA(mha_sees_next, p->may = causal ? may_next : may_all)
MHA(mha_causal_in_sequence_0, p->may = causal ? may_causal_in_sequence_0 : may_all)
MHA(mha_mask_always_used,
    (p->mask = mask_written(buffers->mask, causal, B, T), p->may = may_as_asked))
MHA(mha_k_q_v, (a.order[0] = 1, a.order[1] = 0))
MHA(mha_q_v_k, (a.order[1] = 2, a.order[2] = 1))
MHA(mha_v_k_q, (a.order[0] = 2, a.order[2] = 0))
MHA(mha_thirds_of_heads, a.packing = THIRDS_OF_HEADS)
MHA(mha_in_turns, a.packing = IN_TURNS)
MHA(mha_blocks, a.packing = BLOCKS)
MHA(mha_w_qkv_in_out, a.w_qkv_in_out = true)
MHA(mha_w_o_in_out, a.w_o_in_out = true)
MHA(mha_input_split, a.input_split = true)
MHA(mha_no_output_projection, a.no_output_projection = true)
MHA(mha_no_b_qkv, a.w.b_qkv = NULL)
MHA(mha_no_b_o, a.w.b_o = NULL)
MHA(mha_no_bias, a.w.b_qkv = a.w.b_o = NULL)
MHA(mha_keys_are_queries, p->k = buffers->q)
MHA(mha_values_are_queries, p->v = buffers->q)
MHA(mha_values_are_keys, p->v = buffers->k)
MHA(mha_keys_of_head_0, p->k_at.h = p->v_at.h = 0)
MHA(mha_right, (void)p)
MHA(mha_in_float, p->softmax = IN_FLOAT)
MHA(mha_renormalized, p->softmax = RENORMALIZED)

const struct mistake mha_mistakes[] = {
    {
        .id = "q-not-transposed",
        .what = "only q is not transposed: its heads and tokens are swapped",
        .why = "k and v went through split_heads, but q was only reshaped. With T = NH "
               "all shapes fit. This bug has been published.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(multi_head_attention, mha_q_as_it_lies),
    },
    {
        .id = "k-not-transposed",
        .what = "only k is not transposed: its heads and tokens are swapped",
        .why = "q and v went through split_heads, but k was only reshaped. With T = NH "
               "all shapes fit.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(multi_head_attention, mha_k_as_it_lies),
    },
    {
        .id = "v-not-transposed",
        .what = "only v is not transposed: its heads and tokens are swapped",
        .why = "The weights are right but applied to rows of other tokens and heads. v "
               "needs split_heads, too.",
        .source = "a public notebook (datasets/published_trace.txt)",
        .function = LIKE(multi_head_attention, mha_v_as_it_lies),
    },
    {
        .id = "reshape-alone",
        .what = "q, k and v are reshaped to heads, not transposed",
        .why = "If you read (B,T,C) as (B,NH,T,hs), head 0 gets whole tokens with all "
               "their heads. Use split_heads.",
        .source = "hyunwoongko/transformer#15, reczoo/FuxiCTR#30",
        .function = LIKE(multi_head_attention, mha_all_as_they_lie),
    },
    {
        .id = "merged-by-reshape",
        .what = "the heads are merged by a reshape alone",
        .why = "The weights are right, but token 0 gets the first tokens of head 0 "
               "instead of its own heads. You may not notice, because training still "
               "works. Use merge_heads.",
        .source = "jsbaan/transformer-from-scratch#6, "
                  "ajhalthor/Transformer-Neural-Network#8",
        .function = LIKE(multi_head_attention, mha_out_as_it_lies),
    },
    {
        .id = "never-transposed",
        .what = "heads are split and merged by reshapes alone",
        .why = "Each head then attends among pieces of a few whole tokens. Transpose "
               "before the attention (split_heads) and after it (merge_heads).",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(multi_head_attention, mha_never_transposed),
    },
    {
        .id = "sqrt-C",
        .what = "the scores are divided by sqrt(C) instead of sqrt(hs)",
        .why = SQRT_C_WHY,
        .source = "Graylab/DL4Proteins-notebooks#12, "
                  "FareedKhan-dev/train-llm-from-scratch#3",
        .function = LIKE(multi_head_attention, mha_sqrt_C),
    },
    {
        .id = "sqrt-NH",
        .what = "the scores are divided by sqrt(NH) instead of sqrt(hs)",
        .why = "The last argument of scaled_dot_product_attention is hs = C / NH.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(multi_head_attention, mha_sqrt_NH),
    },
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = "Under a causal mask, token 0 is right; the other rows are too peaked.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(multi_head_attention, mha_no_scale),
    },
    {
        .id = "over-hs",
        .what = "the scores are divided by hs instead of sqrt(hs)",
        .why = "scaled_dot_product_attention already divides by sqrt(hs). Don't divide q "
               "as well.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_over_hs),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(hs)",
        .why = "Divide by sqrt(hs).",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(multi_head_attention, mha_multiplied),
    },
    {
        .id = "down-columns",
        .what = "the softmax runs down the columns",
        .why = "Each query's weights, a row of T, must sum to 1 over the keys.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(multi_head_attention, mha_columns),
    },
    {
        .id = "never-causal",
        .what = "causal has no effect: the future is always visible",
        .why = "If causal, write the (T,T) mask of lab 3 for every sequence into "
               "buffers->mask and pass it on. Otherwise pass NULL.",
        .source = "paiml/entrenar#310",
        .function = LIKE(multi_head_attention, mha_never_causal),
    },
    {
        .id = "always-causal",
        .what = "the mask is used even when causal is false",
        .why = "If causal is false, every token sees every token: pass NULL as the mask.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_always_causal),
    },
    {
        .id = "flag-inverted",
        .what = "the mask is used if causal is false, and only then",
        .why = "Pass causal ? buffers->mask : NULL, not the opposite.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_flag_inverted),
    },
    {
        .id = "mask-upside-down",
        .what = "the mask is inverted: every token sees itself and the future",
        .why = "Row t is the query: allow s <= t, as causal_mask of lab 3 does.",
        .source = "rasbt/LLMs-from-scratch#1061, karpathy/nanoGPT#170",
        .function = LIKE(multi_head_attention, mha_upside_down),
    },
    {
        .id = "mask-inverted",
        .what = "the mask is inverted: every token sees only the tokens after it",
        .why = "Here 1 means \"may attend\". torch.nn.MultiheadAttention marks the "
               "forbidden keys.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(multi_head_attention, mha_future_only),
    },
    {
        .id = "diagonal-excluded",
        .what = "no token sees itself, and token 0 sees nothing",
        .why = "The diagonal is allowed: s <= t, not s < t.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(multi_head_attention, mha_past_only),
    },
    {
        .id = "sees-next",
        .what = "every token also sees the one after it",
        .why = "The diagonal is off by one: allow s <= t, not s <= t + 1.",
        .source = "TransformerLensOrg/TransformerLens#284",
        .function = LIKE(multi_head_attention, mha_sees_next),
    },
    {
        .id = "mask-always-used",
        .what = "buffers->mask is used when causal is false, too",
        .why =
            "Then buffers->mask is uninitialized or has the contents of an earlier call. "
            "Pass NULL if causal is false.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_mask_always_used),
    },
    {
        .id = "mask-of-sequence-0-only",
        .what = "only sequence 0 is masked",
        .why = "buffers->mask is (B,T,T). Call causal_mask once for each sequence, at "
               "mask + b * T * T. The rest is uninitialized.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_causal_in_sequence_0),
    },
    {
        .id = "order-k-q-v",
        .what = "q, k and v are taken in the order k, q, v",
        .why = ORDER_OR_EXCHANGED_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(multi_head_attention, mha_k_q_v),
        .convention = true,
    },
    {
        .id = "order-q-v-k",
        .what = "q, k and v are taken in the order q, v, k",
        .why = ORDER_OR_EXCHANGED_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(multi_head_attention, mha_q_v_k),
        .convention = true,
    },
    {
        .id = "order-v-k-q",
        .what = "q, k and v are taken in the order v, k, q",
        .why = ORDER_OR_EXCHANGED_WHY,
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(multi_head_attention, mha_v_k_q),
        .convention = true,
    },
    {
        .id = "qkv-per-head",
        .what = "the channels of a token are read head by head, (NH,3,hs)",
        .why = "Here all heads of q come first, then all of k, then all of v: (3,NH,hs). "
               "Some models use (NH,3,hs).",
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(multi_head_attention, mha_thirds_of_heads),
        .convention = true,
    },
    {
        .id = "qkv-in-turns",
        .what = "q, k and v are interleaved: each gets every third channel",
        .why = "The first C channels of a token are q, the next C are k, and the last C "
               "are v.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_in_turns),
    },
    {
        .id = "qkv-blocks",
        .what = "qkv as a whole is cut into three, not each token",
        .why = "qkv is (B,T,3C): each token holds its own q, k and v. Use split_qkv.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_blocks),
    },
    {
        .id = "w_qkv-in-out",
        .what = "w_qkv is read as (C_in,3C)",
        .why = "Weights are (out,in), as in PyTorch and batched_linear: (3C,C_in).",
        .source = "nntile/nntile#370",
        .function = LIKE(multi_head_attention, mha_w_qkv_in_out),
    },
    {
        .id = "w_o-in-out",
        .what = "w_o is read as (in,out): not transposed",
        .why = "w_o is square, so all shapes fit. The product is merged times w_o "
               "transposed, as in batched_linear.",
        .source = "nntile/nntile#370",
        .function = LIKE(multi_head_attention, mha_w_o_in_out),
    },
    {
        .id = "input-split",
        .what = "the input is split into heads before the projection",
        .why = "Then each head sees only its part of x, and all heads share one small "
               "projection. Project the whole token first, then split it.",
        .source = "MarcoMeter/episodic-transformer-memory-ppo#22",
        .function = LIKE(multi_head_attention, mha_input_split),
    },
    {
        .id = "no-output-projection",
        .what = "the output projection is missing: out is the merged heads",
        .why = "Before w_o, each channel comes from a single head. The last step is "
               "batched_linear with w_o and b_o.",
        .source = "jwallbridge/translob#4",
        .function = LIKE(multi_head_attention, mha_no_output_projection),
    },
    {
        .id = "no-b_qkv",
        .what = "b_qkv is not added",
        .why = "Pass params->b_qkv to the first projection.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_no_b_qkv),
    },
    {
        .id = "no-b_o",
        .what = "b_o is not added",
        .why = "Pass params->b_o to the output projection.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_no_b_o),
    },
    {
        .id = "no-bias",
        .what = "neither bias is added",
        .why = "Pass params->b_qkv and params->b_o to batched_linear, which "
               "accepts NULL.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_no_bias),
    },
    {
        .id = "keys-are-queries",
        .what = "the queries are used as keys, too",
        .why = "k_heads comes from k, the second third of qkv.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_keys_are_queries),
    },
    {
        .id = "values-are-queries",
        .what = "the queries are used as values, too",
        .why = "v_heads comes from v, the last third of qkv.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_values_are_queries),
    },
    {
        .id = "values-are-keys",
        .what = "the keys are used as values, too",
        .why = "v_heads comes from v, the last third of qkv.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_values_are_keys),
    },
    {
        .id = "keys-of-head-0",
        .what = "all heads use the keys and values of head 0",
        .why = "Each head has its own keys and values: head h starts at channel h * hs.",
        .source = NULL,
        .function = LIKE(multi_head_attention, mha_keys_of_head_0),
    },
    {0},
};

const struct mistake mha_alternatives[] = {
    {.id = "without-copies", .function = LIKE(multi_head_attention, mha_right)},
    {.id = "in-float", .function = LIKE(multi_head_attention, mha_in_float)},
    {.id = "renormalized", .function = LIKE(multi_head_attention, mha_renormalized)},
    {0},
};
