// train_gpu.h - lab 6's training loop with every step on the GPU.
//
// train_gpu does what train of lab 6 does, loss by loss, from the same model, data and
// settings. The steps are made of the launchers of labs 2 to 6:
//
//   host      batch ─────────────┐                                     ┌─> losses[step]
//   device    inputs, targets <──┘ forward ─> loss ─> backward ─> clip ─> Adam
//
// What is no exercise of the GPU part (the positions, dlogits, the gradient of the embedding,
// the clipping) is given in given.cu. What a step decides on the host (which batch, the uniforms
// of the dropout, the learning rate) comes from lab 6's CPU side.
//
//   memory.c    a model on the device, and its way there and back
//   forward.c   from tokens to the loss
//   backward.c  from the loss to the gradients
//   loop.c      the steps; start reading there
//   given.cu    the kernels between the exercises
//
// Files here are given, not to be edited.

#ifndef LAB_TRAIN_GPU_H
#define LAB_TRAIN_GPU_H

#include <cublas_v2.h>
#include <stddef.h>
#include <stdint.h>

#include "06_copy_task/copy_task.h"
#include "common/gpu/gpu.h"
#include "common/model.h"

// As train of lab 6 (06_copy_task/copy_task.h), with the same results within rounding: model
// lies on the host, before and after. Parameters, moments and the number of steps are updated;
// what is computed on the way stays on the device. Also returns what the launchers return.
LAB_CHECKED lab_status train_gpu(float *losses, struct model *model, const size_t *data,
                                 enum task task, size_t R,
                                 const struct training *settings, size_t steps);

// ---- memory.c -----------------------------------------------------------------------------

// The same pieces as struct model, with pointers to memory of the device.
struct gpu_model {
    struct model_shape shape;
    size_t P;
    float *param, *grad, *m, *v; // (P)
    float *computed_positions;   // (T_max, C), or NULL: learned, or none
    float *activation_memory, *gradient_memory;
    struct model_params params, grads;
    struct model_activations activations;
    struct model_gradients gradients;
    uint8_t *mask;            // (B, T, T)
    size_t *inputs, *targets; // (B, T)
    float *uniforms;          // (B, T, C), or NULL: no dropout
    float *row_losses;        // (B, T)
    float *loss, *norm;       // (1)
    cudaStream_t stream;
    cublasHandle_t cublas; // on stream
};

// Allocates, and copies model's parameters and moments to the device. *gpu is overwritten; on an
// error it may be freed. LAB_ENOMEM when the device has not enough memory.
LAB_CHECKED lab_status gpu_model_new(struct gpu_model *gpu, const struct model *model);

// Waits for the stream, and copies parameters and moments back.
LAB_CHECKED lab_status gpu_model_read(struct model *model, const struct gpu_model *gpu);

void gpu_model_free(struct gpu_model *gpu);

// ---- forward.c, backward.c ----------------------------------------------------------------

// model_forward of lab 6 on gpu->inputs and gpu->targets, to gpu->loss. uniforms: gpu->uniforms
// while training with dropout, or NULL.
LAB_CHECKED lab_status gpu_forward(struct gpu_model *gpu, const float *uniforms);

// model_backward of lab 6: adds to gpu->grads what the last gpu_forward calls for.
LAB_CHECKED lab_status gpu_backward(struct gpu_model *gpu, const float *uniforms);

#endif
