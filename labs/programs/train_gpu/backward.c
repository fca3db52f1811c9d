// backward.c - from the loss to the gradients, on the device.
//
// Follows model_backward of lab 6 line by line and uses the same buffers, so you can
// compare the two step by step.
//
// Start reading at gpu_backward.

#include "programs/train_gpu/train_gpu.h"

#include "04_multi_head/heads_gpu.h"
#include "05_transformer_block/block_gpu.h"
#include "06_copy_task/copy_task_gpu.h"
#include "programs/train_gpu/given_gpu.h"

// Shared by all steps through one block.
struct pass {
    size_t N, C, NH, H; // N = B T
    struct block_params params;
    struct block_grads grads;
    struct block_buffers z;
    const struct model_gradients *dz;
    const float *weights;
    cublasHandle_t cublas;
    cudaStream_t stream;
};

// Back through middle + mlp(ln2(middle)): dmiddle is the sum of both gradients.
static lab_status mlp_branch_backward(const struct pass *p, const float *dout)
{
    const struct model_gradients *dz = p->dz;
    // forward: projected = activated w_proj^T + b_proj
    LAB_TRY(linear_backward_gpu(dz->dactivated, p->grads.w_proj, p->grads.b_proj, dout,
                                p->z.activated, p->params.mlp.w_proj, p->N, p->H, p->C,
                                p->cublas, p->stream));
    // forward: activated = gelu(hidden)
    LAB_TRY(gelu_backward_gpu(dz->dhidden, dz->dactivated, p->z.hidden, p->N * p->H,
                              p->stream));
    // forward: hidden = ln2 w_fc^T + b_fc
    LAB_TRY(linear_backward_gpu(dz->dln2, p->grads.w_fc, p->grads.b_fc, dz->dhidden,
                                p->z.ln2, p->params.mlp.w_fc, p->N, p->C, p->H, p->cublas,
                                p->stream));
    // forward: ln2 = layernorm(middle)
    LAB_TRY(layernorm_backward_gpu(dz->dbranch, p->grads.ln2_gain, p->grads.ln2_bias,
                                   dz->dln2, p->z.middle, p->z.ln2_mean, p->z.ln2_rstd,
                                   p->params.ln2_gain, p->N, p->C, p->stream));
    // forward: out = middle + projected, and middle went into ln2 as well
    return residual_add_gpu(dz->dmiddle, dout, dz->dbranch, p->N * p->C, p->stream);
}

// Back through qkv = ln1 w_qkv^T + b_qkv and its split into q, k, v and heads.
static lab_status heads_backward(const struct pass *p, size_t B, size_t T)
{
    const struct model_gradients *dz = p->dz;
    LAB_TRY(merge_heads_gpu(dz->dq, dz->dq_heads, B, T, p->C, p->NH, p->stream));
    LAB_TRY(merge_heads_gpu(dz->dk, dz->dk_heads, B, T, p->C, p->NH, p->stream));
    LAB_TRY(merge_heads_gpu(dz->dv, dz->dv_heads, B, T, p->C, p->NH, p->stream));
    LAB_TRY(given_join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, p->N, p->C, p->stream));
    return linear_backward_gpu(dz->dln1, p->grads.w_qkv, p->grads.b_qkv, dz->dqkv,
                               p->z.ln1, p->params.attention.w_qkv, p->N, p->C, 3 * p->C,
                               p->cublas, p->stream);
}

// Back through attended = multi_head_attention(ln1), from dmiddle to dln1.
static lab_status attention_branch_backward(const struct pass *p, size_t B, size_t T)
{
    const struct model_gradients *dz = p->dz;
    const struct attention_buffers *a = &p->z.attention;
    // forward: attended = merged w_o^T + b_o
    LAB_TRY(linear_backward_gpu(dz->dmerged, p->grads.w_o, p->grads.b_o, dz->dmiddle,
                                a->merged, p->params.attention.w_o, p->N, p->C, p->C,
                                p->cublas, p->stream));
    // forward: merged = merge_heads(out_heads); a permutation: its backward is its inverse
    LAB_TRY(split_heads_gpu(dz->dout_heads, dz->dmerged, B, T, p->C, p->NH, p->stream));
    // forward: out_heads = softmax(mask(q_heads k_heads^T / sqrt(hs))) v_heads
    LAB_TRY(attention_backward_gpu(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                                   dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
                                   a->v_heads, p->weights, B, p->NH, T, T, p->C / p->NH,
                                   p->cublas, p->stream));
    return heads_backward(p, B, T);
}

// dstreams[l] from dstreams[l + 1]
static lab_status block_backward_gpu(struct gpu_model *gpu, size_t l)
{
    const struct model_shape *s = &gpu->shape;
    const size_t N = s->B * s->T, C = s->C;
    const struct pass p = {
        .N = N,
        .C = C,
        .NH = s->NH,
        .H = s->H,
        .params = model_block_params(&gpu->params, s, l),
        .grads = model_block_grads(&gpu->grads, s, l),
        .z = model_block_buffers(&gpu->activations, s, l),
        .dz = &gpu->gradients,
        .weights = gpu->activations.weights + l * N * s->NH * s->T,
        .cublas = gpu->cublas,
        .stream = gpu->stream,
    };
    const float *x = gpu->activations.streams + l * N * C;
    const float *dout = gpu->gradients.dstreams + (l + 1) * N * C;
    float *dx = gpu->gradients.dstreams + l * N * C;

    LAB_TRY(mlp_branch_backward(&p, dout));
    LAB_TRY(attention_branch_backward(&p, s->B, s->T));
    // forward: ln1 = layernorm(x)
    LAB_TRY(layernorm_backward_gpu(p.dz->dbranch, p.grads.ln1_gain, p.grads.ln1_bias,
                                   p.dz->dln1, x, p.z.ln1_mean, p.z.ln1_rstd,
                                   p.params.ln1_gain, N, C, p.stream));
    // forward: middle = x + attended, and x went into ln1 as well
    return residual_add_gpu(dx, p.dz->dmiddle, p.dz->dbranch, N * C, p.stream);
}

lab_status gpu_backward(struct gpu_model *gpu, const float *uniforms)
{
    const struct model_shape *s = &gpu->shape;
    const struct model_gradients *dz = &gpu->gradients;
    const struct model_activations *z = &gpu->activations;
    const size_t N = s->B * s->T, C = s->C, NC = N * C;
    // forward: loss = cross_entropy(logits, targets)
    LAB_TRY(given_cross_entropy_backward(dz->dlogits, z->probabilities, gpu->targets, N,
                                         s->V, gpu->stream));
    // forward: logits = streams[L] w_out^T + b_out
    LAB_TRY(linear_backward_gpu(dz->dstreams + s->L * NC, gpu->grads.w_out,
                                gpu->grads.b_out, dz->dlogits, z->streams + s->L * NC,
                                gpu->params.w_out, N, C, s->V, gpu->cublas, gpu->stream));
    for (size_t l = s->L; l-- > 0;) {
        LAB_TRY(block_backward_gpu(gpu, l));
    }
    // forward: streams[0] = dropout(positioned), each element times 1 / (1 - p) or times 0
    LAB_TRY(dropout_gpu(dz->dpositioned, dz->dstreams, uniforms, s->dropout,
                        uniforms != NULL, NC, gpu->stream));
    // forward: positioned[b] = embedded[b] + position_table, for every b
    if (gpu->grads.position_table != NULL) {
        LAB_TRY(given_positions_backward(gpu->grads.position_table, dz->dpositioned, s->B,
                                         s->T, C, gpu->stream));
    }
    // forward: embedded = embedding(tokens)
    return given_embedding_backward(gpu->grads.token_table, dz->dpositioned, gpu->inputs,
                                    N, C, s->V, gpu->stream);
}
