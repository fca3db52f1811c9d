// memory.c - copies a model to the device and back.
//
// The tables of common/model.h describe the layout of each piece. They work for device
// memory, too, because a layout only computes pointers and never reads through them. Every
// piece is a separate allocation, so that a write past its end is detected.

#include "programs/train_gpu/train_gpu.h"

#include <string.h>

// After a call has failed, further calls do nothing.
static void take(void *pointer, size_t count, size_t size, lab_status *status)
{
    if (*status != LAB_OK || count == 0) {
        return;
    }
    void *memory = NULL;
    const cudaError_t error = cudaMalloc(&memory, count * size);
    if (error != cudaSuccess) {
        *status = error == cudaErrorMemoryAllocation ? LAB_ENOMEM : LAB_ECUDA;
        return;
    }
    memcpy(pointer, &memory, sizeof memory);
}

static void copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                 lab_status *status)
{
    if (*status == LAB_OK) {
        *status = lab_cuda(cudaMemcpy(to, from, bytes, kind));
    }
}

static lab_status take_pieces(struct gpu_model *gpu)
{
    const struct model_shape *s = &gpu->shape;
    const size_t batch = s->B * s->T, number = sizeof(float);
    lab_status status = LAB_OK;
    take(&gpu->param, gpu->P, number, &status);
    take(&gpu->grad, gpu->P, number, &status);
    take(&gpu->m, gpu->P, number, &status);
    take(&gpu->v, gpu->P, number, &status);
    if (s->positions == POSITIONS_SINUSOIDAL) {
        take(&gpu->computed_positions, s->T_max * s->C, number, &status);
    }
    take(&gpu->activation_memory, model_count(model_activations_rows, s), number,
         &status);
    take(&gpu->gradient_memory, model_count(model_gradients_rows, s), number, &status);
    take(&gpu->mask, batch * s->T, 1, &status);
    take(&gpu->inputs, batch, sizeof *gpu->inputs, &status);
    take(&gpu->targets, batch, sizeof *gpu->targets, &status);
    take(&gpu->uniforms, s->dropout > 0.0f ? batch * s->C : 0, number, &status);
    take(&gpu->row_losses, batch, number, &status);
    take(&gpu->loss, 1, number, &status);
    take(&gpu->norm, 1, number, &status);
    return status;
}

static void lay_out(struct gpu_model *gpu)
{
    const struct model_shape *s = &gpu->shape;
    model_lay_out(&gpu->params, model_params_rows, s, gpu->param);
    model_lay_out(&gpu->grads, model_params_rows, s, gpu->grad);
    model_lay_out(&gpu->activations, model_activations_rows, s, gpu->activation_memory);
    model_lay_out(&gpu->gradients, model_gradients_rows, s, gpu->gradient_memory);
    gpu->activations.mask = gpu->mask;
    if (gpu->computed_positions != NULL) {
        gpu->params.position_table = gpu->computed_positions;
    }
}

lab_status gpu_model_new(struct gpu_model *gpu, const struct model *model)
{
    *gpu = (struct gpu_model){.shape = model->shape, .P = model->P};
    lab_status status = take_pieces(gpu);
    if (status != LAB_OK) {
        return status;
    }
    lay_out(gpu);
    const size_t bytes = gpu->P * sizeof(float);
    copy(gpu->param, model->param, bytes, cudaMemcpyHostToDevice, &status);
    copy(gpu->m, model->m, bytes, cudaMemcpyHostToDevice, &status);
    copy(gpu->v, model->v, bytes, cudaMemcpyHostToDevice, &status);
    if (gpu->computed_positions != NULL) {
        const struct model_shape *s = &gpu->shape;
        copy(gpu->computed_positions, model->params.position_table,
             s->T_max * s->C * sizeof(float), cudaMemcpyHostToDevice, &status);
    }
    if (status == LAB_OK) {
        status = lab_cuda(cudaStreamCreate(&gpu->stream));
    }
    if (status == LAB_OK) {
        status = lab_cublas(cublasCreate(&gpu->cublas));
    }
    return status == LAB_OK ? lab_cublas(cublasSetStream(gpu->cublas, gpu->stream))
                            : status;
}

lab_status gpu_model_read(struct model *model, const struct gpu_model *gpu)
{
    const size_t bytes = gpu->P * sizeof(float);
    lab_status status = lab_cuda(cudaStreamSynchronize(gpu->stream));
    copy(model->param, gpu->param, bytes, cudaMemcpyDeviceToHost, &status);
    copy(model->m, gpu->m, bytes, cudaMemcpyDeviceToHost, &status);
    copy(model->v, gpu->v, bytes, cudaMemcpyDeviceToHost, &status);
    return status;
}

void gpu_model_free(struct gpu_model *gpu)
{
    if (gpu->cublas != NULL) {
        cublasDestroy(gpu->cublas);
    }
    if (gpu->stream != NULL) {
        cudaStreamDestroy(gpu->stream);
    }
    void *pieces[] = {
        gpu->param,      gpu->grad,
        gpu->m,          gpu->v,
        gpu->loss,       gpu->computed_positions,
        gpu->norm,       gpu->activation_memory,
        gpu->mask,       gpu->gradient_memory,
        gpu->inputs,     gpu->targets,
        gpu->row_losses, gpu->uniforms,
    };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        cudaFree(pieces[i]); // NULL copies nothing
    }
    *gpu = (struct gpu_model){.P = 0};
}
