// heads_gpu.h - the contract of lab 4's GPU side: splitting heads and attention.
//
// Every function does what the function of the same name without _gpu does (heads.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev, and the pointers in the structs, point into GPU memory.
//     The structs params and buffers themselves are in host memory.
//   - A function puts its work into stream and returns before the work is done. It does not
//     allocate or wait.
//   - A function returns LAB_ESHAPE before it puts anything into the stream, and LAB_ECUDA if
//     CUDA or cuBLAS rejects a call; then the outputs may be partly written.
//   - cublas is a cuBLAS handle. The caller has created it and bound it to the same stream
//     (cublasSetStream).
//
// Only these launchers are the contract. Change the kernels and their arguments as you like.
//
// heads.cu is the file to edit. Start reading at split_heads_gpu.

#ifndef LAB_04_HEADS_GPU_H
#define LAB_04_HEADS_GPU_H

#include <cublas_v2.h>

#include "04_multi_head/heads.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 4.2  q_dev, k_dev, v_dev (B, T, C) written    qkv_dev (B, T, 3C) read
//
// Example: split_qkv_gpu(q_dev, k_dev, v_dev, qkv_dev, B, T, C, stream);
LAB_CHECKED lab_status split_qkv_gpu(float *q_dev, float *k_dev, float *v_dev,
                                     const float *qkv_dev, size_t B, size_t T, size_t C,
                                     cudaStream_t stream);

// 4.3  out_dev (B, NH, T, hs) written    x_dev (B, T, C) read
//
// Also returns LAB_ESHAPE if NH does not divide C.
// Example: split_heads_gpu(q_heads_dev, q_dev, B, T, C, NH, stream);
LAB_CHECKED lab_status split_heads_gpu(float *out_dev, const float *x_dev, size_t B,
                                       size_t T, size_t C, size_t NH,
                                       cudaStream_t stream);

// 4.4  out_dev (B, T, C) written    x_dev (B, NH, T, hs) read
//
// Also returns LAB_ESHAPE if NH does not divide C.
// Example: merge_heads_gpu(merged_dev, out_heads_dev, B, T, C, NH, stream);
LAB_CHECKED lab_status merge_heads_gpu(float *out_dev, const float *x_dev, size_t B,
                                       size_t T, size_t C, size_t NH,
                                       cudaStream_t stream);

// 4.5  out_dev (B, NH, T, hs) written    weights_dev (B, NH, T, S) written
//      scores_dev (B, NH, T, S): workspace, written
//      q_dev (B, NH, T, hs) read    k_dev, v_dev (B, NH, S, hs) read
//      mask_dev (B, T, S) read, or NULL: every key allowed
//
// A query without an allowed key gets weights 0 and output 0. Also returns LAB_ESHAPE if one
// of T, S, hs, B NH, B NH T is above INT_MAX, because the sizes of cuBLAS and of a grid are int.
// Example: scaled_dot_product_attention_gpu(out_dev, weights_dev, scores_dev, q_dev, k_dev,
//              v_dev, NULL, B, NH, T, T, hs, cublas, stream);
LAB_CHECKED lab_status scaled_dot_product_attention_gpu(
    float *out_dev, float *weights_dev, float *scores_dev, const float *q_dev,
    const float *k_dev, const float *v_dev, const uint8_t *mask_dev, size_t B, size_t NH,
    size_t T, size_t S, size_t hs, cublasHandle_t cublas, cudaStream_t stream);

// 4.6  out_dev (B, T, C) written    weights_dev (B, NH, T, T) written
//      buffers: workspaces on the device, written    x_dev (B, T, C_in) read
//      params: weights on the device, read           causal: no token sees a later one
//
// Also returns LAB_ESHAPE if NH does not divide C, and for sizes that 4.5 or lab 2 rejects.
// Example: multi_head_attention_gpu(out_dev, weights_dev, &buffers, x_dev, &params, true, B,
//              T, C, C, NH, cublas, stream);
LAB_CHECKED lab_status multi_head_attention_gpu(
    float *out_dev, float *weights_dev, const struct attention_buffers *buffers,
    const float *x_dev, const struct attention_params *params, bool causal, size_t B,
    size_t T, size_t C_in, size_t C, size_t NH, cublasHandle_t cublas,
    cudaStream_t stream);

LAB_GPU_END

#endif
