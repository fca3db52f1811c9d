// flash_attention_gpu.h - the contract of lab 10's GPU part.
//
// Every function does the same as the function without _gpu in its name (flash_attention.h has the
// formulas and the shapes), with these differences:
//
//   - Pointers with the suffix _dev point to device memory.
//   - There are no workspaces for tiles, and no Br and Bc: tiles are in shared memory and registers,
//     and you choose their sizes. A launcher requests at most 48 KiB of shared memory per block.
//   - hs is at most 128; otherwise LAB_ESHAPE.
//   - A launcher puts its work into the stream and returns before the work is done. It does not
//     wait or allocate.
//   - It returns LAB_ESHAPE before it puts anything into the stream, also for a size above INT_MAX
//     that a grid counts with int. It returns LAB_ECUDA if CUDA refuses a launch.
//   - Each tensor begins at a multiple of 16 bytes, as memory from cudaMalloc does. So a row may be
//     read as float4 if its length is a multiple of 4.
//   - The same call gives the same bits every time.
//
// These launchers are the contract. The kernels are yours: change their arguments, or add some.
//
// Files to edit, in this order: flash.cu, backward.cu. Start reading at flash_attention_gpu.

#ifndef LAB_10_FLASH_ATTENTION_GPU_H
#define LAB_10_FLASH_ATTENTION_GPU_H

#include "10_flash_attention/flash_attention.h"
#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// ---- flash.cu -----------------------------------------------------------------------------

// 10.2  out_dev (B, NH, T, hs), logsumexp_dev (B, NH, T) written
//       q_dev (B, NH, T, hs), k_dev, v_dev (B, NH, S, hs) read
// Tiles entirely in the future may be visited or skipped: the result is the same.
// Example: flash_attention_gpu(out_dev, logsumexp_dev, q_dev, k_dev, v_dev, true, B, NH, T, T, hs,
//                              stream);
LAB_CHECKED lab_status flash_attention_gpu(float *out_dev, float *logsumexp_dev,
                                           const float *q_dev, const float *k_dev,
                                           const float *v_dev, bool causal, size_t B,
                                           size_t NH, size_t T, size_t S, size_t hs,
                                           cudaStream_t stream);

// ---- backward.cu --------------------------------------------------------------------------

// 10.4  dq_dev (B, NH, T, hs), dk_dev, dv_dev (B, NH, S, hs) written
//       delta_dev (B, NH, T): workspace, written
//       dout_dev, out_dev, q_dev (B, NH, T, hs), logsumexp_dev (B, NH, T) read
//       k_dev, v_dev (B, NH, S, hs) read
//
// Example: flash_attention_backward_gpu(dq_dev, dk_dev, dv_dev, delta_dev, dout_dev, out_dev,
//                                       logsumexp_dev, q_dev, k_dev, v_dev, true, B, NH, T, T, hs,
//                                       stream);
LAB_CHECKED lab_status flash_attention_backward_gpu(
    float *dq_dev, float *dk_dev, float *dv_dev, float *delta_dev, const float *dout_dev,
    const float *out_dev, const float *logsumexp_dev, const float *q_dev,
    const float *k_dev, const float *v_dev, bool causal, size_t B, size_t NH, size_t T,
    size_t S, size_t hs, cudaStream_t stream);

LAB_GPU_END

#endif
