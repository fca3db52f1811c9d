// loop.c - the steps of a training run on the device.
//
//   host ── inputs, targets, uniforms ──> device: forward ── loss ──> host: is it finite?
//                                         device: grads = 0, backward, clip, Adam <──┘
//
// The host waits once per step, for the loss, because training stops if it is not finite.
//
// Start reading at train_gpu.

#include "programs/train_gpu/train_gpu.h"

#include <math.h>

#include "06_copy_task/copy_task_gpu.h"
#include "programs/train_gpu/given_gpu.h"

static lab_status to_device(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    return lab_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
}

// The batch in model->inputs and model->targets, and uniforms if there are any.
static lab_status send_batch(struct gpu_model *gpu, const struct model *model,
                             const float *uniforms)
{
    const struct model_shape *s = &gpu->shape;
    const size_t batch = s->B * s->T;
    LAB_TRY(
        to_device(gpu->inputs, model->inputs, batch * sizeof *gpu->inputs, gpu->stream));
    LAB_TRY(to_device(gpu->targets, model->targets, batch * sizeof *gpu->targets,
                      gpu->stream));
    if (uniforms != NULL) {
        LAB_TRY(to_device(gpu->uniforms, uniforms, batch * s->C * sizeof *gpu->uniforms,
                          gpu->stream));
    }
    return LAB_OK;
}

static lab_status read_loss(float *loss, const struct gpu_model *gpu)
{
    LAB_TRY(lab_cuda(cudaMemcpyAsync(loss, gpu->loss, sizeof *loss,
                                     cudaMemcpyDeviceToHost, gpu->stream)));
    return lab_cuda(cudaStreamSynchronize(gpu->stream));
}

// Updates the parameters from the gradients: clipping, and Adam with the learning rate of
// step k.
static lab_status update(struct gpu_model *gpu, const struct training *settings, size_t k)
{
    if (settings->max_norm > 0.0f) {
        LAB_TRY(given_clip_grad_norm(gpu->norm, gpu->grad, settings->max_norm, gpu->P,
                                     gpu->stream));
    }
    struct adam adam = settings->adam;
    if (settings->total > 0) {
        float lr = 0.0f;
        LAB_TRY(learning_rate(&lr, k, settings->warmup, settings->total,
                              (float)settings->adam.lr, settings->floor));
        adam.lr = lr;
    }
    return adam_step_gpu(gpu->param, gpu->m, gpu->v, gpu->grad, &adam, k, gpu->P,
                         gpu->stream);
}

// Step number k, on the batch in model->inputs and model->targets.
static lab_status step(float *loss, struct gpu_model *gpu, struct model *model,
                       const struct training *settings, size_t k)
{
    const float *drawn = model_draw_uniforms(model);
    const float *uniforms = drawn != NULL ? gpu->uniforms : NULL;
    LAB_TRY(send_batch(gpu, model, drawn));
    LAB_TRY(gpu_forward(gpu, uniforms));
    LAB_TRY(read_loss(loss, gpu));
    if (!isfinite(*loss)) {
        return LAB_EVALUE; // before it can affect the parameters
    }
    LAB_TRY(lab_cuda(cudaMemsetAsync(gpu->grad, 0, gpu->P * sizeof *gpu->grad,
                                     gpu->stream))); // 0.0f is all bits 0
    LAB_TRY(gpu_backward(gpu, uniforms));
    return update(gpu, settings, k);
}

lab_status train_gpu(float *losses, struct model *model, const size_t *data,
                     enum task task, size_t R, const struct training *settings,
                     size_t steps)
{
    const struct model_shape *s = &model->shape;
    LAB_TRY(model_shape_check(s));
    if (steps == 0 || R < s->B) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(data, R * s->T, s->V)) {
        return LAB_EVALUE;
    }
    struct gpu_model gpu;
    lab_status status = gpu_model_new(&gpu, model);
    size_t taken = 0;
    while (taken < steps && status == LAB_OK) {
        const size_t k = model->step + taken + 1, batch = (k - 1) % (R / s->B);
        status = make_copy_batch(model->inputs, model->targets, data, batch * s->B, task,
                                 R, s->B, s->T, s->V);
        if (status == LAB_OK) {
            status = step(&losses[taken], &gpu, model, settings, k);
        }
        taken += status == LAB_OK;
    }
    // Copy back the parameters, which a stopped step has not changed.
    if (status == LAB_OK || status == LAB_EVALUE) {
        const lab_status read = gpu_model_read(model, &gpu);
        model->step += read == LAB_OK ? taken : 0;
        status = status == LAB_OK ? read : status;
    }
    gpu_model_free(&gpu);
    return status;
}
