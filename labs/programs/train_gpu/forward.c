// forward.c - from tokens to the loss, on the device.
//
// Follows model_forward of lab 6 line by line, with the same buffers, and launchers instead
// of functions. All work goes into one stream, so each launcher sees the results of the one
// before it, and the host does not wait.
//
// Start reading at gpu_forward.

#include "programs/train_gpu/train_gpu.h"

#include "02_batching/batching_gpu.h"
#include "04_multi_head/heads_gpu.h"
#include "05_transformer_block/block_gpu.h"
#include "06_copy_task/copy_task_gpu.h"
#include "programs/train_gpu/given_gpu.h"

// projected = mlp(ln2), as mlp of lab 5
static lab_status mlp_forward(struct gpu_model *gpu, const struct block_buffers *z,
                              const struct mlp_params *params)
{
    const size_t N = gpu->shape.B * gpu->shape.T, C = gpu->shape.C, H = gpu->shape.H;
    LAB_TRY(batched_linear_gpu(z->hidden, z->ln2, params->w_fc, params->b_fc, 1, N, C, H,
                               gpu->cublas, gpu->stream));
    LAB_TRY(gelu_gpu(z->activated, z->hidden, N * H, gpu->stream));
    return batched_linear_gpu(z->projected, z->activated, params->w_proj, params->b_proj,
                              1, N, H, C, gpu->cublas, gpu->stream);
}

// streams[l + 1] = transformer_block(streams[l])
static lab_status block_forward(struct gpu_model *gpu, size_t l)
{
    const struct model_shape *s = &gpu->shape;
    const size_t N = s->B * s->T, C = s->C;
    const struct block_params p = model_block_params(&gpu->params, s, l);
    const struct block_buffers z = model_block_buffers(&gpu->activations, s, l);
    const float *x = gpu->activations.streams + l * N * C;
    float *out = gpu->activations.streams + (l + 1) * N * C;
    float *weights = gpu->activations.weights + l * N * s->NH * s->T;

    // x to middle
    LAB_TRY(layernorm_gpu(z.ln1, z.ln1_mean, z.ln1_rstd, x, p.ln1_gain, p.ln1_bias, N, C,
                          gpu->stream));
    LAB_TRY(multi_head_attention_gpu(z.attended, weights, &z.attention, z.ln1,
                                     &p.attention, s->causal, s->B, s->T, C, C, s->NH,
                                     gpu->cublas, gpu->stream));
    LAB_TRY(residual_add_gpu(z.middle, x, z.attended, N * C, gpu->stream));

    // middle to out
    LAB_TRY(layernorm_gpu(z.ln2, z.ln2_mean, z.ln2_rstd, z.middle, p.ln2_gain, p.ln2_bias,
                          N, C, gpu->stream));
    LAB_TRY(mlp_forward(gpu, &z, &p.mlp));
    return residual_add_gpu(out, z.middle, z.projected, N * C, gpu->stream);
}

// streams[0] = dropout(embedding + positions)
static lab_status input_forward(struct gpu_model *gpu, const float *uniforms)
{
    const struct model_shape *s = &gpu->shape;
    const struct model_activations *z = &gpu->activations;
    const size_t N = s->B * s->T, C = s->C;
    const float *table = gpu->params.position_table;
    LAB_TRY(embedding_gpu(z->embedded, gpu->inputs, gpu->params.token_table, N, C, s->V,
                          gpu->stream));
    if (table != NULL) {
        LAB_TRY(given_add_positions(z->positioned, z->embedded, table, s->B, s->T, C,
                                    gpu->stream));
    } else {
        LAB_TRY(
            lab_cuda(cudaMemcpyAsync(z->positioned, z->embedded, N * C * sizeof(float),
                                     cudaMemcpyDeviceToDevice, gpu->stream)));
    }
    return dropout_gpu(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL,
                       N * C, gpu->stream);
}

lab_status gpu_forward(struct gpu_model *gpu, const float *uniforms)
{
    const struct model_shape *s = &gpu->shape;
    const struct model_activations *z = &gpu->activations;
    const size_t N = s->B * s->T, C = s->C;
    LAB_TRY(input_forward(gpu, uniforms));
    for (size_t l = 0; l < s->L; l++) {
        LAB_TRY(block_forward(gpu, l));
    }
    LAB_TRY(batched_linear_gpu(z->logits, z->streams + s->L * N * C, gpu->params.w_out,
                               gpu->params.b_out, s->B, s->T, C, s->V, gpu->cublas,
                               gpu->stream));
    return cross_entropy_gpu(gpu->loss, z->probabilities, gpu->row_losses, z->logits,
                             gpu->targets, N, s->V, gpu->stream);
}
