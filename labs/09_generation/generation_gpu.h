// generation_gpu.h - the contract of lab 9's GPU part: attention over a cache, and int8 weights.
//
// Every function does the same as the function without _gpu in its name (generation.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev point to device memory.
//   - A launcher puts its work into the stream and returns before the work is done. It does not
//     wait or allocate.
//   - It returns LAB_ESHAPE before it puts anything into the stream, also for a size above INT_MAX
//     that a grid counts with int. It returns LAB_ECUDA if CUDA refuses a launch.
//   - A launcher does not check the content of device memory: every length is from 1 to T_max, and
//     every weight is finite.
//   - Each tensor begins at a multiple of 16 bytes, as memory from cudaMalloc does. So a row may be
//     read as float4 or char4 if its length is a multiple of 4.
//   - The same call gives the same bits every time.
//
// These launchers are the contract. The kernels are yours: change their arguments, or add some.
//
// Files to edit, in this order: cache.cu, int8.cu. Start reading at attention_decode_gpu.

#ifndef LAB_09_GENERATION_GPU_H
#define LAB_09_GENERATION_GPU_H

#include "09_generation/generation.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// ---- cache.cu -----------------------------------------------------------------------------

// 9.2  out_dev (B, NH, hs) written    weights_dev (B, NH, T_max) written: 0 from the length on
//      scores_dev (B, NH, T_max): workspace, written
//      q_dev (B, NH, hs), keys_dev, values_dev (B, NH, T_max, hs) read
//      lengths_dev (B) read: also in device memory
//
// Example: attention_decode_gpu(out_dev, weights_dev, scores_dev, q_dev, keys_dev, values_dev,
//                               lengths_dev, B, NH, T_max, hs, stream);
LAB_CHECKED lab_status attention_decode_gpu(
    float *out_dev, float *weights_dev, float *scores_dev, const float *q_dev,
    const float *keys_dev, const float *values_dev, const size_t *lengths_dev, size_t B,
    size_t NH, size_t T_max, size_t hs, cudaStream_t stream);

// 9.4  out_dev (B, NH, T, hs) written    weights_dev (B, NH, T, S) written
//      scores_dev (B, NH, T, S): workspace, written
//      q_dev (B, NH, T, hs) read    k_dev, v_dev (B, NKV, S, hs) read
//      mask_dev (B, T, S) read, or NULL: every key allowed
//
// A query without an allowed key gets weights 0 and output 0. LAB_ESHAPE also if NKV does not
// divide NH.
// Example: grouped_query_attention_gpu(out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev,
//                                      mask_dev, B, 32, 8, T, S, 128, stream);
LAB_CHECKED lab_status grouped_query_attention_gpu(
    float *out_dev, float *weights_dev, float *scores_dev, const float *q_dev,
    const float *k_dev, const float *v_dev, const uint8_t *mask_dev, size_t B, size_t NH,
    size_t NKV, size_t T, size_t S, size_t hs, cudaStream_t stream);

// ---- int8.cu ------------------------------------------------------------------------------

// 9.8  rows_dev (O, I), scales_dev (O) written    w_dev (O, I) read
//
// Example: quantize_rows_gpu(rows_dev, scales_dev, w_dev, O, I, stream);
LAB_CHECKED lab_status quantize_rows_gpu(int8_t *rows_dev, float *scales_dev,
                                         const float *w_dev, size_t O, size_t I,
                                         cudaStream_t stream);

// 9.8  y_dev (N, O) written    x_dev (N, I), rows_dev (O, I), scales_dev (O) read
//
// Example: linear_int8_gpu(y_dev, x_dev, rows_dev, scales_dev, 1, I, O, stream);
LAB_CHECKED lab_status linear_int8_gpu(float *y_dev, const float *x_dev,
                                       const int8_t *rows_dev, const float *scales_dev,
                                       size_t N, size_t I, size_t O, cudaStream_t stream);

LAB_GPU_END

#endif
