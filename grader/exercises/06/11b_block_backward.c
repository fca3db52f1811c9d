// 11b_block_backward.c - 6.11, back through a block: cases and mistakes of block_backward.

#include "exercises/exercise.h"
#include "exercises/06/11_whole_model.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "06_copy_task/copy_task.h"

// The buffers are those of a forward pass through this block.
static void run_block(struct test_case *test, bool causal)
{
    static const struct tensor_spec buffers[] = {BLOCK_BUFFER_TENSORS};
    static const struct tensor_spec params[] = {
        BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0)};
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 C = case_dim(test, "C"), NH = case_dim(test, "NH"),
                 H = case_dim(test, "H");
    void *t[MAX_TENSORS];
    collect(t, test, buffers, sizeof buffers / sizeof buffers[0]);
    const struct block_buffers z = block_buffers_from_tensors(t, B * T, C);
    collect(t, test, params, sizeof params / sizeof params[0]);
    const struct block_params p = block_params_from_tensors(t);
    memset(z.attention.mask, 1, B * T * T);
    float *out = borrow(B * T * C);
    must(transformer_block(out, case_f32(test, "weights"), &z, case_f32(test, "x"), &p,
                           causal, B, T, C, NH, H));
    free(out);
}

void scale_grads(struct test_case *test, const struct tensor_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scale_input(test, specs[i].name, 0.25f);
    }
}

static void fill_block_of(struct test_case *test, bool causal)
{
    static const struct tensor_spec grads[] = {
        BLOCK_PARAM_TENSORS("grads.", INPUT, 0, 0)};
    scale_params(test, "params.", case_dim(test, "C"), case_dim(test, "H"));
    spread_rows(case_f32(test, "x"), case_dim(test, "B") * case_dim(test, "T"),
                case_dim(test, "C"), 1.0f);
    scale_grads(test, grads, sizeof grads / sizeof grads[0]);
    run_block(test, causal);
}

static void fill_block(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_block_of(test, true);
}

static void fill_block_not_causal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_block_of(test, false);
}

const struct case_spec block_backward_cases[] = {
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3", .fill = fill_block, .note = "causal"},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=5", .fill = fill_block, .note = "causal"},
    {.dims = "B=1 T=9 C=4 NH=2 hs=2 H=3",
     .fill = fill_block,
     .note = "causal; more weights than there are numbers in q, k and v"},
    {.dims = "B=2 T=4 C=6 NH=3 hs=2 H=7",
     .fill = fill_block_not_causal,
     .note = "no mask"},
    {.dims = "B=3 T=5 C=6 NH=2 hs=3 H=11", .fill = fill_block, .note = "causal"},
    {.dims = "B=2 T=7 C=12 NH=3 hs=4 H=20", .fill = fill_block, .note = "causal"},
    {.dims = "B=3 T=1 C=6 NH=2 hs=3 H=5",
     .fill = fill_block,
     .note = "one token in each sequence"},
    {.dims = "B=2 T=3 C=4 NH=1 hs=4 H=5", .fill = fill_block, .note = "causal, one head"},
    {.dims = "B=2 T=3 C=6 NH=2 hs=3 H=1",
     .fill = fill_block,
     .note = "causal, an MLP of width 1"},
    {.dims = "B=2 T=8 C=8 NH=2 hs=4 H=16",
     .fill = fill_block,
     .note = "causal, T = C = 8, H = 16"},
    {.dims = "B=2 T=3 C=7 NH=2 hs=3 H=5", .note = "NH does not divide C"},
    {.dims = "B=0 T=3 C=4 NH=2 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=4 NH=2 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0 NH=2 hs=0 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=0 hs=4 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=0", .note = "a size of 0"},
    {0},
};

// The arguments of block_backward, for declarations and for calls.
#define BLOCK_ARGUMENTS                                                                  \
    float *dx, const struct block_grads *grads, const struct model_gradients *dz,        \
        const float *dout, const float *x, const struct block_params *params,            \
        const float *weights, const struct block_buffers *z, size_t B, size_t T,         \
        size_t C, size_t NH, size_t H
#define BLOCK_VALUES dx, grads, dz, dout, x, params, weights, z, B, T, C, NH, H

enum block_fault {
    BLOCK_RIGHT,
    BLOCK_NO_MLP_RESIDUAL,
    BLOCK_NO_ATTENTION_RESIDUAL,
    BLOCK_NO_RESIDUALS,
    BLOCK_NO_GELU,
    BLOCK_GELU_AT_OUTPUT,
    BLOCK_NO_LN1,
    BLOCK_NO_LN2,
    BLOCK_LN2_OF_X,
    BLOCK_HEADS_NOT_MERGED,
    BLOCK_HEADS_NOT_SPLIT,
    BLOCK_QK_SWAPPED,
    BLOCK_ATTENTION_OF_DOUT,
    BLOCK_FC_OF_MIDDLE,
    BLOCK_QKV_OF_X,
    BLOCK_PROJ_OF_HIDDEN,
    BLOCK_DX_OF_DOUT,
    BLOCK_ALL_OF_DOUT,
};

static void sum_of(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

static void mlp_way(enum block_fault fault, const struct block_grads *grads,
                    const struct model_gradients *dz, const float *dout, const float *x,
                    const struct block_params *params, const struct block_buffers *z,
                    size_t N, size_t C, size_t H)
{
    must(linear_backward(dz->dactivated, grads->w_proj, grads->b_proj, dout,
                         fault == BLOCK_PROJ_OF_HIDDEN ? z->hidden : z->activated,
                         params->mlp.w_proj, N, H, C));
    if (fault == BLOCK_NO_GELU) {
        memcpy(dz->dhidden, dz->dactivated, N * H * sizeof(float));
    } else {
        must(gelu_backward(dz->dhidden, dz->dactivated,
                           fault == BLOCK_GELU_AT_OUTPUT ? z->activated : z->hidden,
                           N * H));
    }
    must(linear_backward(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden,
                         fault == BLOCK_FC_OF_MIDDLE ? z->middle : z->ln2,
                         params->mlp.w_fc, N, C, H));
    if (fault == BLOCK_NO_LN2) {
        memcpy(dz->dbranch, dz->dln2, N * C * sizeof(float));
    } else {
        must(layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dz->dln2,
                                fault == BLOCK_LN2_OF_X ? x : z->middle, z->ln2_mean,
                                z->ln2_rstd, params->ln2_gain, N, C));
    }
    if (fault == BLOCK_NO_MLP_RESIDUAL || fault == BLOCK_NO_RESIDUALS) {
        memcpy(dz->dmiddle, dz->dbranch, N * C * sizeof(float));
    } else {
        sum_of(dz->dmiddle, dout, dz->dbranch, N * C);
    }
}

static void attention_way(enum block_fault fault, const struct block_grads *grads,
                          const struct model_gradients *dz, const float *dout,
                          const float *x, const struct block_params *params,
                          const float *weights, const struct block_buffers *z, size_t B,
                          size_t T, size_t C, size_t NH)
{
    const struct attention_buffers *a = &z->attention;
    const size_t bytes = B * T * C * sizeof(float);
    const bool skips = fault == BLOCK_ATTENTION_OF_DOUT || fault == BLOCK_ALL_OF_DOUT;
    must(linear_backward(dz->dmerged, grads->w_o, grads->b_o, skips ? dout : dz->dmiddle,
                         a->merged, params->attention.w_o, B * T, C, C));
    if (fault == BLOCK_HEADS_NOT_SPLIT) {
        memcpy(dz->dout_heads, dz->dmerged, bytes);
    } else {
        must(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    }
    must(attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                            dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
                            a->v_heads, weights, B, NH, T, T, C / NH));
    if (fault == BLOCK_HEADS_NOT_MERGED) {
        memcpy(dz->dq, dz->dq_heads, bytes);
        memcpy(dz->dk, dz->dk_heads, bytes);
        memcpy(dz->dv, dz->dv_heads, bytes);
    } else {
        must(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
        must(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
        must(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
    }
    if (fault == BLOCK_QK_SWAPPED) {
        join_qkv(dz->dqkv, dz->dk, dz->dq, dz->dv, B * T, C);
    } else {
        join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, B * T, C);
    }
    must(linear_backward(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv,
                         fault == BLOCK_QKV_OF_X ? x : z->ln1, params->attention.w_qkv,
                         B * T, C, 3 * C));
}

static lab_status block_with(enum block_fault fault, BLOCK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T;
    mlp_way(fault, grads, dz, dout, x, params, z, N, C, H);
    attention_way(fault, grads, dz, dout, x, params, weights, z, B, T, C, NH);
    if (fault == BLOCK_NO_LN1) {
        memcpy(dz->dbranch, dz->dln1, N * C * sizeof(float));
    } else {
        must(layernorm_backward(dz->dbranch, grads->ln1_gain, grads->ln1_bias, dz->dln1,
                                x, z->ln1_mean, z->ln1_rstd, params->ln1_gain, N, C));
    }
    if (fault == BLOCK_NO_ATTENTION_RESIDUAL || fault == BLOCK_NO_RESIDUALS) {
        memcpy(dx, dz->dbranch, N * C * sizeof(float));
    } else {
        const bool skips = fault == BLOCK_DX_OF_DOUT || fault == BLOCK_ALL_OF_DOUT;
        sum_of(dx, skips ? dout : dz->dmiddle, dz->dbranch, N * C);
    }
    return LAB_OK;
}

#define BLOCK(name, fault)                                                               \
    static lab_status name(BLOCK_ARGUMENTS)                                              \
    {                                                                                    \
        return block_with(fault, BLOCK_VALUES);                                          \
    }

BLOCK(block_no_mlp_residual, BLOCK_NO_MLP_RESIDUAL)
BLOCK(block_no_attention_residual, BLOCK_NO_ATTENTION_RESIDUAL)
BLOCK(block_no_residuals, BLOCK_NO_RESIDUALS)
BLOCK(block_no_gelu, BLOCK_NO_GELU)
BLOCK(block_gelu_at_output, BLOCK_GELU_AT_OUTPUT)
BLOCK(block_no_ln1, BLOCK_NO_LN1)
BLOCK(block_no_ln2, BLOCK_NO_LN2)
BLOCK(block_ln2_of_x, BLOCK_LN2_OF_X)
BLOCK(block_heads_not_merged, BLOCK_HEADS_NOT_MERGED)
BLOCK(block_heads_not_split, BLOCK_HEADS_NOT_SPLIT)
BLOCK(block_qk_swapped, BLOCK_QK_SWAPPED)
BLOCK(block_attention_of_dout, BLOCK_ATTENTION_OF_DOUT)
BLOCK(block_fc_of_middle, BLOCK_FC_OF_MIDDLE)
BLOCK(block_qkv_of_x, BLOCK_QKV_OF_X)
BLOCK(block_proj_of_hidden, BLOCK_PROJ_OF_HIDDEN)
BLOCK(block_dx_of_dout, BLOCK_DX_OF_DOUT)
BLOCK(block_all_of_dout, BLOCK_ALL_OF_DOUT)
BLOCK(block_by_pieces, BLOCK_RIGHT)

const struct mistake block_backward_mistakes[] = {
    {
        .id = "mlp-residual-dropped",
        .what = "the gradient does not flow through the residual around the MLP",
        .why =
            "out = middle + mlp(ln2(middle)) uses middle twice, so dmiddle is dout plus "
            "the gradient from the MLP.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_no_mlp_residual),
    },
    {
        .id = "attention-residual-dropped",
        .what = "the gradient does not flow through the residual around the attention",
        .why = "middle = x + attention(ln1(x)) uses x twice, so dx is dmiddle plus the "
               "gradient from the attention.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_no_attention_residual),
    },
    {
        .id = "residuals-dropped",
        .what = "the gradient flows through neither of the residuals",
        .why = "Both sums have two terms, and each term gets the gradient of the sum.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_no_residuals),
    },
    {
        .id = "no-gelu",
        .what = "gelu_backward is missing",
        .why =
            "GELU is between hidden and activated: dhidden = gelu_backward(dactivated, "
            "hidden).",
        .function = LIKE(block_backward, block_no_gelu),
    },
    {
        .id = "gelu-at-output",
        .what = "gelu_backward gets activated instead of hidden",
        .why = "It needs the input of GELU.",
        .function = LIKE(block_backward, block_gelu_at_output),
    },
    {
        .id = "no-ln1",
        .what = "the first layer norm's backward is missing",
        .why =
            "The attention reads ln1, not x: call layernorm_backward, which also adds to "
            "ln1_gain and ln1_bias.",
        .function = LIKE(block_backward, block_no_ln1),
    },
    {
        .id = "no-ln2",
        .what = "the second layer norm's backward is missing",
        .why =
            "The MLP reads ln2, not middle: call layernorm_backward, which also adds to "
            "ln2_gain and ln2_bias.",
        .function = LIKE(block_backward, block_no_ln2),
    },
    {
        .id = "ln2-of-x",
        .what = "the second layer norm's backward gets x instead of middle",
        .why =
            "ln2 = layernorm(middle): its backward needs middle, ln2_mean and ln2_rstd.",
        .function = LIKE(block_backward, block_ln2_of_x),
    },
    {
        .id = "heads-not-merged",
        .what = "the gradients of q, k and v are not merged back from heads to rows",
        .why = "dq_heads is (B, NH, T, hs), dq is (B, T, C): the sizes agree, but the "
               "order does not. The backward of split_heads is merge_heads.",
        .source = "jsbaan/transformer-from-scratch#6",
        .function = LIKE(block_backward, block_heads_not_merged),
    },
    {
        .id = "heads-not-split",
        .what = "dmerged is passed to the attention without being split into heads",
        .why = "The backward of merge_heads is split_heads: (B, T, C) to (B, NH, T, hs).",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(block_backward, block_heads_not_split),
    },
    {
        .id = "qk-exchanged",
        .what = "dq and dk are swapped in dqkv",
        .why = "The order is the same as in w_qkv: q, then k, then v.",
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(block_backward, block_qk_swapped),
    },
    {
        .id = "attention-from-dout",
        .what = "the attention gets dout instead of dmiddle",
        .why =
            "middle = x + attended, so attended gets dmiddle, which is the sum of both "
            "gradients of middle.",
        .function = LIKE(block_backward, block_attention_of_dout),
    },
    {
        .id = "dx-from-dout",
        .what = "dx is dout, not dmiddle, plus the gradient from the attention",
        .why = "middle = x + attended, so x gets dmiddle: dout plus the gradient from "
               "the MLP.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_dx_of_dout),
    },
    {
        .id = "all-from-dout",
        .what = "the attention and the residual around it get dout instead of dmiddle",
        .why = "Both terms of middle = x + attended get dmiddle: dout plus the gradient "
               "from the MLP.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_all_of_dout),
    },
    {
        .id = "fc-of-middle",
        .what = "the gradient of w_fc uses middle instead of ln2",
        .why = "linear_backward needs the input of that layer: ln2.",
        .function = LIKE(block_backward, block_fc_of_middle),
    },
    {
        .id = "qkv-of-x",
        .what = "the gradient of w_qkv uses x instead of ln1",
        .why = "linear_backward needs the input of that layer: ln1.",
        .function = LIKE(block_backward, block_qkv_of_x),
    },
    {
        .id = "proj-of-hidden",
        .what = "the gradient of w_proj uses hidden instead of activated",
        .why = "linear_backward needs the input of that layer: activated, after GELU.",
        .function = LIKE(block_backward, block_proj_of_hidden),
    },
    {0},
};

const struct mistake block_backward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(block_backward, block_by_pieces)},
    {.id = "in-double", .function = LIKE(block_backward, block_backward_in_double)},
    {0},
};
