// language_model_gpu.h - the contract of lab 8's GPU part: the layers on the GPU.
//
// Every function does the same as the function without _gpu in its name (language_model.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev point to device memory.
//   - A launcher puts its work into the stream and returns before the work is done. It does not
//     wait or allocate.
//   - It returns LAB_ESHAPE before it puts anything into the stream. It also does this if a
//     size that a grid takes as int is above INT_MAX. It returns LAB_ECUDA if CUDA refuses a
//     launch.
//   - The same call gives the same bits every time: sums over rows have a fixed order, without
//     atomicAdd. (The judge accepts the rounding of an atomicAdd.)
//
// The other layers of the model have launchers in labs 2 to 7.
//
// These launchers are the contract. The kernels are yours: change their arguments, or add some.
//
// layers.cu is the file to edit. Start reading at rmsnorm_gpu.

#ifndef LAB_08_LANGUAGE_MODEL_GPU_H
#define LAB_08_LANGUAGE_MODEL_GPU_H

#include "08_language_model/language_model.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 8.3  y_dev (N, C), rrms_dev (N) written    x_dev (N, C), gain_dev (C) read
//
// Example: rmsnorm_gpu(normed_dev, rrms_dev, x_dev, gain_dev, B * T, C, stream);
LAB_CHECKED lab_status rmsnorm_gpu(float *y_dev, float *rrms_dev, const float *x_dev,
                                   const float *gain_dev, size_t N, size_t C,
                                   cudaStream_t stream);

// 8.3  dx_dev (N, C) written    dgain_dev (C) added to
//      dy_dev, x_dev (N, C), rrms_dev (N), gain_dev (C) read
//
// Example: rmsnorm_backward_gpu(dx_dev, dgain_dev, dy_dev, x_dev, rrms_dev, gain_dev, B * T, C,
//                               stream);
LAB_CHECKED lab_status rmsnorm_backward_gpu(float *dx_dev, float *dgain_dev,
                                            const float *dy_dev, const float *x_dev,
                                            const float *rrms_dev, const float *gain_dev,
                                            size_t N, size_t C, cudaStream_t stream);

// 8.4  y_dev (N) written    a_dev, b_dev (N) read
//
// Example: swiglu_gpu(hidden_dev, gate_dev, up_dev, B * T * H, stream);
LAB_CHECKED lab_status swiglu_gpu(float *y_dev, const float *a_dev, const float *b_dev,
                                  size_t N, cudaStream_t stream);

// 8.4  da_dev, db_dev (N) written    dy_dev, a_dev, b_dev (N) read
//
// Example: swiglu_backward_gpu(dgate_dev, dup_dev, dhidden_dev, gate_dev, up_dev, B * T * H,
//                              stream);
LAB_CHECKED lab_status swiglu_backward_gpu(float *da_dev, float *db_dev,
                                           const float *dy_dev, const float *a_dev,
                                           const float *b_dev, size_t N,
                                           cudaStream_t stream);

// 8.5  dx_dev (B, NH, T, hs) written    dy_dev (B, NH, T, hs) read
//      positions_dev (T) read: also in device memory
//
// LAB_ESHAPE also if hs is odd. Compute angles in double, as on the CPU. dx_dev and dy_dev begin
// at a multiple of 8 bytes, like all memory from cudaMalloc, so a pair of channels may be read at
// once, as a float2.
// Example: rope_backward_gpu(dq_dev, dq_turned_dev, positions_dev, B, NH, T, hs, stream);
LAB_CHECKED lab_status rope_backward_gpu(float *dx_dev, const float *dy_dev,
                                         const size_t *positions_dev, size_t B, size_t NH,
                                         size_t T, size_t hs, cudaStream_t stream);

LAB_GPU_END

#endif
