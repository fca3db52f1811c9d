// 08a_block_backward.c - 8.8, back through a block: cases and mistakes of language_block_backward.

#include "exercises/exercise.h"
#include "exercises/08/08_language_backward.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"

#include <stdlib.h>
#include <string.h>

#include "04_multi_head/heads.h"
#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "08_language_model/language_model.h"

// The buffers are what a forward pass through this block leaves.
static void run_block(struct test_case *test)
{
    static const struct tensor_spec buffers[] = {
        BLOCK_BUFFER_TENSORS(INPUT, INPUT, 0, 0)};
    static const struct tensor_spec params[] = {
        BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0)};
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 C = case_dim(test, "C"), NH = case_dim(test, "NH"),
                 H = case_dim(test, "H");
    void *t[MAX_TENSORS];
    struct language_block_buffers z;
    struct language_block_params p;
    collect(t, test, buffers, sizeof buffers / sizeof buffers[0]);
    memcpy(&z, t, sizeof z);
    collect(t, test, params, sizeof params / sizeof params[0]);
    memcpy(&p, t, sizeof p);
    float *out = borrow(B * T * C);
    must(language_block(out, case_f32(test, "weights"), &z, case_f32(test, "x"), &p, B, T,
                        C, NH, H));
    free(out);
}

static void fill_block(struct test_case *test, struct lab_rng *rng)
{
    static const struct tensor_spec grads[] = {
        BLOCK_PARAM_TENSORS("grads.", INPUT, 0, 0)};
    (void)rng;
    scale_block_params(test, "params.");
    enlarge_rows(case_f32(test, "x"), case_dim(test, "B") * case_dim(test, "T"),
                 case_dim(test, "C"), 0.7f);
    scale_grads(test, grads, sizeof grads / sizeof grads[0]);
    run_block(test);
}

static void fill_refused(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t t = 0; t < case_count(test, "z.positions"); t++) {
        case_size(test, "z.positions")[t] = t;
    }
}

const struct case_spec block_backward_cases[] = {
    {.dims = "B=1 T=1 C=2 NH=1 hs=2 H=1", .fill = fill_block, .note = "one token"},
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3", .fill = fill_block},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=5", .fill = fill_block},
    {.dims = "B=1 T=9 C=4 NH=2 hs=2 H=3",
     .fill = fill_block,
     .note = "more weights than there are numbers in q, k and v"},
    {.dims = "B=2 T=4 C=6 NH=3 hs=2 H=7", .fill = fill_block},
    {.dims = "B=3 T=5 C=8 NH=2 hs=4 H=11", .fill = fill_block},
    {.dims = "B=2 T=7 C=12 NH=2 hs=6 H=20", .fill = fill_block},
    {.dims = "B=2 T=3 C=7 NH=2 hs=3 H=5",
     .fill = fill_refused,
     .note = "NH does not divide C"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=5",
     .fill = fill_block,
     .note = "one token in each sequence"},
    {.dims = "B=2 T=3 C=4 NH=1 hs=4 H=5", .fill = fill_block, .note = "one head"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=1",
     .fill = fill_block,
     .note = "an MLP of width 1"},
    {.dims = "B=2 T=8 C=16 NH=2 hs=8 H=16",
     .fill = fill_block,
     .note = "T = hs = 8, C = H = 16"},
    {.dims = "B=2 T=3 C=9 NH=2 hs=4 H=5",
     .fill = fill_refused,
     .note = "NH does not divide C, although C / NH is even"},
    {.dims = "B=2 T=3 C=6 NH=2 hs=3 H=5", .fill = fill_refused, .note = "C / NH is odd"},
    {.dims = "B=0 T=3 C=4 NH=2 hs=2 H=5", .fill = fill_refused, .note = "a size of 0"},
    {.dims = "B=2 T=0 C=4 NH=2 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=0 hs=2 H=5", .fill = fill_refused, .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=0", .fill = fill_refused, .note = "a size of 0"},
    {0},
};

enum back_fault {
    BACK_RIGHT,
    BACK_NO_MLP_RESIDUAL,
    BACK_NO_ATTENTION_RESIDUAL,
    BACK_NO_RESIDUALS,
    BACK_ATTENTION_OF_DOUT,
    BACK_DX_OF_DOUT,
    BACK_ALL_OF_DOUT,
    BACK_NO_NORM1,
    BACK_NO_NORM2,
    BACK_NORM2_OF_X,
    BACK_NORM2_GAIN1,
    BACK_NORM1_GAIN2,
    BACK_NORM2_RRMS1,
    BACK_DOWN_OF_GATE,
    BACK_GATE_OF_MIDDLE,
    BACK_QKV_OF_X,
    BACK_O_OF_OUT_HEADS,
    BACK_UP_ONLY,
    BACK_GATE_ONLY,
    BACK_GATE_UP_SWAPPED,
    BACK_NO_SWIGLU,
    BACK_ROPE_FORWARD,
    BACK_NO_ROPE,
    BACK_ROPE_ON_V,
    BACK_ROPE_AFTER_MERGE,
    BACK_UNTURNED,
    BACK_V_ONLY,
    BACK_Q_ONLY,
    BACK_NO_K,
    BACK_NO_V,
    BACK_QK_SWAPPED,
    BACK_HEADS_NOT_MERGED,
    BACK_HEADS_NOT_SPLIT,
};

static void add_to(float *sum, const float *summand, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += summand[i];
    }
}

static void mlp_way(enum back_fault fault, const struct language_block_grads *grads,
                    const struct language_gradients *dz, const float *dout,
                    const float *x, const struct language_block_params *params,
                    const struct language_block_buffers *z, size_t N, size_t C, size_t H)
{
    const float *normed2 = fault == BACK_GATE_OF_MIDDLE ? z->middle : z->normed2;
    must(linear_backward(dz->dhidden, grads->w_down, NULL, dout,
                         fault == BACK_DOWN_OF_GATE ? z->gate : z->hidden, params->w_down,
                         N, H, C));
    const bool swapped = fault == BACK_GATE_UP_SWAPPED;
    if (fault == BACK_NO_SWIGLU) {
        memcpy(dz->dgate, dz->dhidden, N * H * sizeof(float));
        memcpy(dz->dup, dz->dhidden, N * H * sizeof(float));
    } else {
        must(swiglu_backward(dz->dgate, dz->dup, dz->dhidden, swapped ? z->up : z->gate,
                             swapped ? z->gate : z->up, N * H));
    }
    must(linear_backward(dz->dnormed2, grads->w_gate, NULL, dz->dgate, normed2,
                         params->w_gate, N, C, H));
    must(linear_backward(dz->dbranch, grads->w_up, NULL, dz->dup, normed2, params->w_up,
                         N, C, H));
    if (fault == BACK_UP_ONLY) {
        memcpy(dz->dnormed2, dz->dbranch, N * C * sizeof(float));
    } else if (fault != BACK_GATE_ONLY) {
        add_to(dz->dnormed2, dz->dbranch, N * C);
    }
    if (fault == BACK_NO_NORM2) {
        memcpy(dz->dbranch, dz->dnormed2, N * C * sizeof(float));
    } else {
        must(rmsnorm_backward(dz->dbranch, grads->norm2, dz->dnormed2,
                              fault == BACK_NORM2_OF_X ? x : z->middle,
                              fault == BACK_NORM2_RRMS1 ? z->rrms1 : z->rrms2,
                              fault == BACK_NORM2_GAIN1 ? params->norm1 : params->norm2,
                              N, C));
    }
    memcpy(dz->dmiddle, dz->dbranch, N * C * sizeof(float));
    if (fault != BACK_NO_MLP_RESIDUAL && fault != BACK_NO_RESIDUALS) {
        add_to(dz->dmiddle, dout, N * C);
    }
}

// From dq_turned or dk_turned to dq or dk.
static void turn_back(enum back_fault fault, float *d, float *heads, const float *turned,
                      const size_t *positions, size_t B, size_t T, size_t C, size_t NH)
{
    const size_t hs = C / NH;
    if (fault == BACK_ROPE_FORWARD) {
        must(rope(heads, turned, positions, B, NH, T, hs));
    } else if (fault == BACK_NO_ROPE || fault == BACK_ROPE_AFTER_MERGE) {
        memcpy(heads, turned, B * T * C * sizeof *heads);
    } else {
        must(rope_backward(heads, turned, positions, B, NH, T, hs));
    }
    if (fault == BACK_HEADS_NOT_MERGED) {
        memcpy(d, heads, B * T * C * sizeof *d);
        return;
    }
    must(merge_heads(d, heads, B, T, C, NH));
    if (fault == BACK_ROPE_AFTER_MERGE) { // over the whole row
        memcpy(heads, d, B * T * C * sizeof *heads);
        must(rope_backward(d, heads, positions, B, 1, T, C));
    }
}

static void heads_way(enum back_fault fault, const struct language_block_grads *grads,
                      const struct language_gradients *dz, const float *dout,
                      const struct language_block_params *params, const float *weights,
                      const struct language_block_buffers *z, size_t B, size_t T,
                      size_t C, size_t NH)
{
    const size_t bytes = B * T * C * sizeof(float), hs = C / NH;
    const bool skips = fault == BACK_ATTENTION_OF_DOUT || fault == BACK_ALL_OF_DOUT;
    must(linear_backward(dz->dmerged, grads->w_o, NULL, skips ? dout : dz->dmiddle,
                         fault == BACK_O_OF_OUT_HEADS ? z->out_heads : z->merged,
                         params->w_o, B * T, C, C));
    if (fault == BACK_HEADS_NOT_SPLIT) {
        memcpy(dz->dout_heads, dz->dmerged, bytes);
    } else {
        must(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    }
    const bool unturned = fault == BACK_UNTURNED;
    must(attention_backward(
        dz->dq_turned, dz->dk_turned, dz->dv_heads, dz->dweights, dz->dscores,
        dz->dout_heads, unturned ? z->q_heads : z->q_turned,
        unturned ? z->k_heads : z->k_turned, z->v_heads, weights, B, NH, T, T, hs));
    turn_back(fault, dz->dq, dz->dq_heads, dz->dq_turned, z->positions, B, T, C, NH);
    turn_back(fault, dz->dk, dz->dk_heads, dz->dk_turned, z->positions, B, T, C, NH);
    if (fault == BACK_HEADS_NOT_MERGED) {
        memcpy(dz->dv, dz->dv_heads, bytes);
    } else if (fault == BACK_ROPE_ON_V) {
        must(rope_backward(dz->dbranch, dz->dv_heads, z->positions, B, NH, T, hs));
        must(merge_heads(dz->dv, dz->dbranch, B, T, C, NH));
    } else {
        must(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
    }
}

static void qkv_way(enum back_fault fault, const struct language_block_grads *grads,
                    const struct language_gradients *dz, const float *x,
                    const struct language_block_params *params,
                    const struct language_block_buffers *z, size_t N, size_t C)
{
    const float *from = fault == BACK_QKV_OF_X ? x : z->normed1;
    const bool swapped = fault == BACK_QK_SWAPPED;
    must(linear_backward(dz->dnormed1, grads->w_q, NULL, swapped ? dz->dk : dz->dq, from,
                         params->w_q, N, C, C));
    must(linear_backward(dz->dbranch, grads->w_k, NULL, swapped ? dz->dq : dz->dk, from,
                         params->w_k, N, C, C));
    if (fault != BACK_Q_ONLY && fault != BACK_NO_K) {
        add_to(dz->dnormed1, dz->dbranch, N * C);
    }
    must(linear_backward(dz->dbranch, grads->w_v, NULL, dz->dv, from, params->w_v, N, C,
                         C));
    if (fault == BACK_V_ONLY) {
        memcpy(dz->dnormed1, dz->dbranch, N * C * sizeof(float));
    } else if (fault != BACK_Q_ONLY && fault != BACK_NO_V) {
        add_to(dz->dnormed1, dz->dbranch, N * C);
    }
}

static lab_status back_with(enum back_fault fault, BLOCK_BACKWARD_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0 ||
        C / NH % 2 != 0) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T;
    mlp_way(fault, grads, dz, dout, x, params, z, N, C, H);
    heads_way(fault, grads, dz, dout, params, weights, z, B, T, C, NH);
    qkv_way(fault, grads, dz, x, params, z, N, C);
    if (fault == BACK_NO_NORM1) {
        memcpy(dz->dbranch, dz->dnormed1, N * C * sizeof(float));
    } else {
        must(rmsnorm_backward(dz->dbranch, grads->norm1, dz->dnormed1, x, z->rrms1,
                              fault == BACK_NORM1_GAIN2 ? params->norm2 : params->norm1,
                              N, C));
    }
    memcpy(dx, dz->dbranch, N * C * sizeof(float));
    if (fault != BACK_NO_ATTENTION_RESIDUAL && fault != BACK_NO_RESIDUALS) {
        const bool skips = fault == BACK_DX_OF_DOUT || fault == BACK_ALL_OF_DOUT;
        add_to(dx, skips ? dout : dz->dmiddle, N * C);
    }
    return LAB_OK;
}

#define BACK(name, fault)                                                                \
    static lab_status name(BLOCK_BACKWARD_ARGUMENTS)                                     \
    {                                                                                    \
        return back_with(fault, BLOCK_BACKWARD_VALUES);                                  \
    }

BACK(back_no_mlp_residual, BACK_NO_MLP_RESIDUAL)
BACK(back_no_attention_residual, BACK_NO_ATTENTION_RESIDUAL)
BACK(back_no_residuals, BACK_NO_RESIDUALS)
BACK(back_attention_of_dout, BACK_ATTENTION_OF_DOUT)
BACK(back_dx_of_dout, BACK_DX_OF_DOUT)
BACK(back_all_of_dout, BACK_ALL_OF_DOUT)
BACK(back_no_norm1, BACK_NO_NORM1)
BACK(back_no_norm2, BACK_NO_NORM2)
BACK(back_norm2_of_x, BACK_NORM2_OF_X)
BACK(back_norm2_gain1, BACK_NORM2_GAIN1)
BACK(back_norm1_gain2, BACK_NORM1_GAIN2)
BACK(back_norm2_rrms1, BACK_NORM2_RRMS1)
BACK(back_down_of_gate, BACK_DOWN_OF_GATE)
BACK(back_gate_of_middle, BACK_GATE_OF_MIDDLE)
BACK(back_qkv_of_x, BACK_QKV_OF_X)
BACK(back_o_of_out_heads, BACK_O_OF_OUT_HEADS)
BACK(back_up_only, BACK_UP_ONLY)
BACK(back_gate_only, BACK_GATE_ONLY)
BACK(back_gate_up_swapped, BACK_GATE_UP_SWAPPED)
BACK(back_no_swiglu, BACK_NO_SWIGLU)
BACK(back_rope_forward, BACK_ROPE_FORWARD)
BACK(back_no_rope, BACK_NO_ROPE)
BACK(back_rope_on_v, BACK_ROPE_ON_V)
BACK(back_rope_after_merge, BACK_ROPE_AFTER_MERGE)
BACK(back_unturned, BACK_UNTURNED)
BACK(back_v_only, BACK_V_ONLY)
BACK(back_q_only, BACK_Q_ONLY)
BACK(back_no_k, BACK_NO_K)
BACK(back_no_v, BACK_NO_V)
BACK(back_qk_swapped, BACK_QK_SWAPPED)
BACK(back_heads_not_merged, BACK_HEADS_NOT_MERGED)
BACK(back_heads_not_split, BACK_HEADS_NOT_SPLIT)
BACK(back_by_pieces, BACK_RIGHT)

#define MIDDLE_WHY                                                                       \
    "out = middle + projected uses middle twice, so dmiddle is dout plus the gradient "  \
    "from the MLP."
#define NORMED1_WHY                                                                      \
    "q, k and v all come from normed1, so dnormed1 is the sum of three gradients: let "  \
    "linear_backward write each into its own buffer, and add them."

const struct mistake block_backward_mistakes[] = {
    {
        .id = "mlp-residual-dropped",
        .what = "the gradient does not flow through the residual around the MLP",
        .why = MIDDLE_WHY,
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block_backward, back_no_mlp_residual),
    },
    {
        .id = "attention-residual-dropped",
        .what = "the gradient does not flow through the residual around the attention",
        .why = "middle = x + attended uses x twice, so dx is dmiddle plus the gradient "
               "from the attention.",
        .source = "pytorch/pytorch#61165, Dao-AILab/quack#53",
        .function = LIKE(language_block_backward, back_no_attention_residual),
    },
    {
        .id = "residuals-dropped",
        .what = "the gradient flows through neither of the residuals",
        .why = "Both sums have two terms, and each term gets the gradient of the sum.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block_backward, back_no_residuals),
    },
    {
        .id = "attention-from-dout",
        .what = "the attention gets dout instead of dmiddle",
        .why = "middle = x + attended, so attended gets dmiddle. " MIDDLE_WHY,
        .source = NULL,
        .function = LIKE(language_block_backward, back_attention_of_dout),
    },
    {
        .id = "dx-from-dout",
        .what = "dx is dout, not dmiddle, plus the gradient from the attention",
        .why = "middle = x + attended, so x gets dmiddle. " MIDDLE_WHY,
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block_backward, back_dx_of_dout),
    },
    {
        .id = "all-from-dout",
        .what = "the attention and the residual around it get dout instead of dmiddle",
        .why = "Both terms of middle = x + attended get dmiddle. " MIDDLE_WHY,
        .source = "pytorch/pytorch#61165",
        .function = LIKE(language_block_backward, back_all_of_dout),
    },
    {
        .id = "no-norm1",
        .what = "the first norm's backward is missing",
        .why =
            "q, k and v come from normed1, not from x: call rmsnorm_backward, which also "
            "adds to norm1.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_no_norm1),
    },
    {
        .id = "no-norm2",
        .what = "the second norm's backward is missing",
        .why = "gate and up come from normed2, not from middle: call rmsnorm_backward, "
               "which also adds to norm2.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_no_norm2),
    },
    {
        .id = "norm2-of-x",
        .what = "the second norm's backward gets x instead of middle",
        .why = "normed2 = rmsnorm(middle): its backward needs middle and rrms2.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_norm2_of_x),
    },
    {
        .id = "norm2-with-gain1",
        .what = "the second norm's backward gets the gain norm1",
        .why = "The norm before the MLP has its own gain, norm2.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_norm2_gain1),
    },
    {
        .id = "norm1-with-gain2",
        .what = "the first norm's backward uses the gain of the second",
        .why = "forward: normed1 = rmsnorm(x) with params->norm1.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_norm1_gain2),
    },
    {
        .id = "norm2-with-rrms1",
        .what = "the second norm's backward uses rrms1",
        .why = "rrms2 holds what the forward pass stored for the rows of middle.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_norm2_rrms1),
    },
    {
        .id = "down-of-gate",
        .what = "the gradient of w_down uses gate instead of hidden",
        .why = "linear_backward needs the input of that layer: hidden, after swiglu.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_down_of_gate),
    },
    {
        .id = "gate-of-middle",
        .what = "the gradients of w_gate and w_up use middle instead of normed2",
        .why = "linear_backward needs the input of that layer: normed2.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_gate_of_middle),
    },
    {
        .id = "qkv-of-x",
        .what = "the gradients of w_q, w_k and w_v use x instead of normed1",
        .why = "linear_backward needs the input of that layer: normed1.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_qkv_of_x),
    },
    {
        .id = "o-of-out_heads",
        .what = "the gradient of w_o uses out_heads instead of merged",
        .why = "linear_backward needs the input of that layer: merged. The sizes of the "
               "two agree, but the order does not.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_o_of_out_heads),
    },
    {
        .id = "up-alone",
        .what = "dnormed2 has only the gradient through up",
        .why =
            "gate and up both come from normed2, so dnormed2 is the sum of two "
            "gradients. linear_backward overwrites dx: give it another buffer the second "
            "time, and add.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_up_only),
    },
    {
        .id = "gate-alone",
        .what = "dnormed2 has only the gradient through gate",
        .why = "gate and up both come from normed2, so dnormed2 is the sum of two "
               "gradients.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_gate_only),
    },
    {
        .id = "gate-and-up-swapped",
        .what = "gate and up are swapped in swiglu_backward",
        .why = "hidden = swiglu(gate, up): gate is a, up is b.",
        .source = "ml-explore/mlx-lm#767",
        .function = LIKE(language_block_backward, back_gate_up_swapped),
    },
    {
        .id = "no-swiglu",
        .what = "swiglu_backward is missing",
        .why = "swiglu is between gate, up and hidden: it turns dhidden into dgate and "
               "dup.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_no_swiglu),
    },
    {
        .id = "rope-forward",
        .what = "the gradients of q and k are rotated forward",
        .why = "Call rope_backward, which rotates by the opposite angle of rope.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_rope_forward),
    },
    {
        .id = "no-rope",
        .what = "rope_backward is missing",
        .why = "The attention reads q_turned and k_turned. rope_backward turns their "
               "gradients into those of q_heads and k_heads.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_no_rope),
    },
    {
        .id = "rope-on-v",
        .what = "the gradient of v is rotated, too",
        .why = "The values were not rotated in the forward pass.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_rope_on_v),
    },
    {
        .id = "rope-after-merge",
        .what = "rope_backward is applied to whole rows, after the heads are merged",
        .why = "In the forward pass rope came after split_heads, so in the backward pass "
               "rope_backward comes before merge_heads.",
        .source = "Lightricks/LTX-Video#224, rasbt/LLMs-from-scratch#411",
        .function = LIKE(language_block_backward, back_rope_after_merge),
    },
    {
        .id = "unturned",
        .what = "attention_backward gets q_heads and k_heads instead of q_turned and "
                "k_turned",
        .why = "It needs the inputs of the attention: q_turned and k_turned.",
        .source = NULL,
        .function = LIKE(language_block_backward, back_unturned),
    },
    {
        .id = "v-alone",
        .what = "dnormed1 has only the gradient through v",
        .why = NORMED1_WHY,
        .source = NULL,
        .function = LIKE(language_block_backward, back_v_only),
    },
    {
        .id = "q-alone",
        .what = "dnormed1 has only the gradient through q",
        .why = NORMED1_WHY,
        .source = NULL,
        .function = LIKE(language_block_backward, back_q_only),
    },
    {
        .id = "no-k",
        .what = "dnormed1 lacks the gradient through k",
        .why = NORMED1_WHY,
        .source = NULL,
        .function = LIKE(language_block_backward, back_no_k),
    },
    {
        .id = "no-v",
        .what = "dnormed1 lacks the gradient through v",
        .why = NORMED1_WHY,
        .source = NULL,
        .function = LIKE(language_block_backward, back_no_v),
    },
    {
        .id = "qk-swapped",
        .what = "dq and dk are swapped",
        .why = "w_q gets dq and w_k gets dk.",
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(language_block_backward, back_qk_swapped),
    },
    {
        .id = "heads-not-merged",
        .what = "the gradients of q, k and v are not merged back from heads to rows",
        .why = "dq_heads is (B, NH, T, hs), dq is (B, T, C): the sizes agree, but the "
               "order does not. The backward of split_heads is merge_heads.",
        .source = "jsbaan/transformer-from-scratch#6",
        .function = LIKE(language_block_backward, back_heads_not_merged),
    },
    {
        .id = "heads-not-split",
        .what = "dmerged is passed to the attention without being split into heads",
        .why = "The backward of merge_heads is split_heads: (B, T, C) to (B, NH, T, hs).",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(language_block_backward, back_heads_not_split),
    },
    {0},
};

const struct mistake block_backward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(language_block_backward, back_by_pieces)},
    {.id = "in-double",
     .function = LIKE(language_block_backward, language_block_backward_in_double)},
    {0},
};
