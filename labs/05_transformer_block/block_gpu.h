// block_gpu.h - the contract of lab 5's GPU part: the pieces between the products.
//
// Every function does the same as the function without _gpu in its name (block.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev point to device memory.
//   - A launcher puts its work into the stream and returns before the work is done. It does not
//     wait or allocate.
//   - It returns LAB_ESHAPE and LAB_EVALUE before it puts anything into the stream, and
//     LAB_ECUDA if CUDA refuses the launch.
//
// These launchers are the contract. The kernels are yours: change their arguments, or add some.
//
// block.cu is the file to edit. Start reading at gelu_gpu.

#ifndef LAB_05_BLOCK_GPU_H
#define LAB_05_BLOCK_GPU_H

#include "05_transformer_block/block.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 5.1  y_dev (N, C) written    mean_dev, rstd_dev (N) written
//      x_dev (N, C) read       gain_dev, bias_dev (C) read
//
// Also returns LAB_ESHAPE if N is above INT_MAX: a grid cannot have more blocks.
// Example: layernorm_gpu(y_dev, mean_dev, rstd_dev, x_dev, gain_dev, bias_dev, B * T, C, stream);
LAB_CHECKED lab_status layernorm_gpu(float *y_dev, float *mean_dev, float *rstd_dev,
                                     const float *x_dev, const float *gain_dev,
                                     const float *bias_dev, size_t N, size_t C,
                                     cudaStream_t stream);

// 5.2  y_dev (N) written    x_dev (N) read
//
// Example: gelu_gpu(activated_dev, hidden_dev, B * T * H, stream);
LAB_CHECKED lab_status gelu_gpu(float *y_dev, const float *x_dev, size_t N,
                                cudaStream_t stream);

// 5.4  y_dev (N) written    x_dev (N) read    uniforms_dev (N) read when training
//
// LAB_EVALUE unless 0 <= p < 1, training or not; NaN is refused too.
// Example: dropout_gpu(y_dev, x_dev, uniforms_dev, 0.1f, true, B * T * C, stream);
LAB_CHECKED lab_status dropout_gpu(float *y_dev, const float *x_dev,
                                   const float *uniforms_dev, float p, bool training,
                                   size_t N, cudaStream_t stream);

// 5.5  y_dev (N) written    x_dev, branch_dev (N) read
//
// Example: residual_add_gpu(middle_dev, x_dev, attended_dev, B * T * C, stream);
LAB_CHECKED lab_status residual_add_gpu(float *y_dev, const float *x_dev,
                                        const float *branch_dev, size_t N,
                                        cudaStream_t stream);

LAB_GPU_END

#endif
