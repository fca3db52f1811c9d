// train_gpu.h - lab 6's training loop with every step on the GPU.
//
// train_gpu computes the same losses as train of lab 6 from the same model, data and
// settings, with the launchers of labs 2 to 6:
//
//   host      batch ─────────────┐                                     ┌─> losses[step]
//   device    inputs, targets <──┘ forward ─> loss ─> backward ─> clip ─> Adam
//
// Steps that are not GPU exercises (the positions, dlogits, the gradient of the embedding,
// the clipping) are in given.cu. The host chooses the batch, draws the uniforms for dropout
// and computes the learning rate with lab 6's CPU code.
//
//   memory.c    copies a model to the device and back
//   forward.c   from tokens to the loss
//   backward.c  from the loss to the gradients
//   loop.c      the steps; start reading there
//   given.cu    the kernels between the exercises
//
// Do not edit the files in this folder.

#ifndef LAB_TRAIN_GPU_H
#define LAB_TRAIN_GPU_H

#include <cublas_v2.h>
#include <stddef.h>
#include <stdint.h>

#include "06_copy_task/copy_task.h"
#include "common/gpu/gpu.h"
#include "common/model.h"

// As train of lab 6 (06_copy_task/copy_task.h), with the same results except for rounding.
// model is in host memory. Updates its parameters, moments and step; intermediate results
// stay on the device. If a launcher fails, returns its status.
LAB_CHECKED lab_status train_gpu(float *losses, struct model *model, const size_t *data,
                                 enum task task, size_t R,
                                 const struct training *settings, size_t steps);

// ---- memory.c -----------------------------------------------------------------------------

// The same pieces as struct model, in device memory.
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

// Allocates *gpu and copies model's parameters and moments to the device. Returns
// LAB_ENOMEM if the device has too little memory. After an error *gpu may still be freed.
LAB_CHECKED lab_status gpu_model_new(struct gpu_model *gpu, const struct model *model);

// Waits for the stream and copies parameters and moments back.
LAB_CHECKED lab_status gpu_model_read(struct model *model, const struct gpu_model *gpu);

void gpu_model_free(struct gpu_model *gpu);

// ---- forward.c, backward.c ----------------------------------------------------------------

// model_forward of lab 6, from gpu->inputs and gpu->targets to gpu->loss. uniforms is
// gpu->uniforms when training with dropout, or else NULL.
LAB_CHECKED lab_status gpu_forward(struct gpu_model *gpu, const float *uniforms);

// model_backward of lab 6: adds the gradients of the last gpu_forward to gpu->grads.
LAB_CHECKED lab_status gpu_backward(struct gpu_model *gpu, const float *uniforms);

#endif
