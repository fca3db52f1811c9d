// 11_whole_model.c - exercise 6.11: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/11_whole_model.h"

#include "06_copy_task/copy_task.h"

#define FORWARD_TOLERANCE 4e-5f, 1e-4f
#define GRADIENT_TOLERANCE 1e-5f, 1e-4f

static const struct part model_part[] = {
    {
        .function = "model_forward",
        .dims = MODEL_DIMS " L1",
        .tensors =
            {
                {"loss", "1", OUTPUT, F32, FORWARD_TOLERANCE},
                ACTIVATION_TENSORS(OUTPUT, WORKSPACE, 4e-5f, 1e-4f),
                PARAM_TENSORS("params.", INPUT, 0, 0),
                RUN_TENSORS,
            },
        .stages = "z.embedded z.positioned:z.embedded z.ln1:z.positioned z.qkv:z.ln1 "
                  "z.q:z.qkv z.q_heads:z.q z.mask z.scores:z.q_heads "
                  "z.weights:z.scores,z.mask z.out_heads:z.weights,z.q_heads "
                  "z.merged:z.out_heads z.attended:z.merged z.middle:z.attended "
                  "z.ln2:z.middle z.hidden:z.ln2 z.activated:z.hidden "
                  "z.projected:z.activated z.streams:z.middle,z.projected "
                  "z.logits:z.streams z.probabilities:z.logits loss:z.probabilities",
        .cases = model_forward_cases,
        .mistakes = model_forward_mistakes,
        .alternatives = model_forward_alternatives,
    },
    {
        .function = "block_backward",
        .dims = "B T C NH hs H",
        .tensors =
            {
                {"dx", "B T C", OUTPUT, F32, 4e-5f, 1e-4f},
                BLOCK_PARAM_TENSORS("grads.", UPDATED, 4e-5f, 1e-4f),
                BLOCK_WORKSPACE_TENSORS,
                {"dout", "B T C", INPUT, F32, 0, 0},
                {"x", "B T C", INPUT, F32, 0, 0},
                BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"weights", "B NH T T", INPUT, F32, 0, 0},
                BLOCK_BUFFER_TENSORS,
            },
        .stages =
            "dz.dactivated dz.dhidden:dz.dactivated dz.dln2:dz.dhidden "
            "dz.dmiddle:dz.dln2 dz.dmerged:dz.dmiddle dz.dout_heads:dz.dmerged "
            "dz.dweights:dz.dout_heads dz.dv_heads:dz.dout_heads "
            "dz.dscores:dz.dweights dz.dq_heads:dz.dscores dz.dk_heads:dz.dscores "
            "dz.dqkv:dz.dq_heads,dz.dk_heads,dz.dv_heads dz.dln1:dz.dqkv dx:dz.dln1",
        .cases = block_backward_cases,
        .mistakes = block_backward_mistakes,
        .alternatives = block_backward_alternatives,
    },
    {
        .function = "model_backward",
        .dims = MODEL_DIMS " L1",
        .tensors =
            {
                PARAM_TENSORS("grads.", UPDATED, 1e-5f, 1e-4f),
                {"dz.dlogits", "B T V", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"dz.dstreams", "L1 B T C", OUTPUT, F32, GRADIENT_TOLERANCE},
                ACTIVATION_TENSORS(INPUT, INPUT, 0, 0),
                PARAM_TENSORS("params.", INPUT, 0, 0),
                RUN_TENSORS,
            },
        .stages = "dz.dlogits grads.w_out:dz.dlogits grads.b_out:dz.dlogits "
                  "dz.dstreams<:dz.dlogits grads.token_table:dz.dstreams "
                  "grads.position_table:dz.dstreams",
        .cases = model_backward_cases,
        .mistakes = model_backward_mistakes,
        .alternatives = model_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_11 = {
    .id = "6.11",
    .name = "model_forward and model_backward",
    .section = "6.11 The whole model",
    .uses = {"6.2", "6.3", "6.4", "6.5", "6.7", "6.8", "6.9", "6.10", "5.6"},
    .hints =
        {
            "Copy the forward lines into comments, from last to first, and put the "
            "backward call under each. If a value is used twice, add two gradients.",
            "block: linear(w_proj), gelu, linear(w_fc), layernorm(ln2), dmiddle = dout "
            "+ its dx; linear(w_o), split_heads, attention, merge_heads three times, "
            "join_qkv, linear(w_qkv), layernorm(ln1), dx = dmiddle + its dx.",
            "linear_backward(dactivated, grads->w_proj, grads->b_proj, dout, "
            "z->activated, w_proj, N, H, C)\n"
            "gelu_backward(dhidden, dactivated, z->hidden, N * H)\n"
            "linear_backward(dln2, grads->w_fc, grads->b_fc, dhidden, z->ln2, w_fc, N, C, H)\n"
            "layernorm_backward(dbranch, grads->ln2_gain, ..., dln2, z->middle, ...)\n"
            "residual_add(dmiddle, dout, dbranch, N * C); the attention likewise, from dmiddle\n"
            "model: for (size_t l = L; l-- > 0;) block_backward(dstreams[l], ..., "
            "dstreams[l + 1], streams[l], ...)",
        },
    .parts = model_part,
};
