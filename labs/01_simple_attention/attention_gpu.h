// attention_gpu.h - the contract of lab 1's GPU side.
//
// The functions are those of attention.h, with the same arguments in the same order.
// Three things are new:
//
//   x_dev    a pointer into GPU memory. Kernels dereference it. The launchers declared
//            here run on the CPU and may only pass it on.
//   stream   the queue for the work. A launcher puts its kernels there and returns at
//            once, before they have run. It does not wait, allocate or copy. The work in
//            one stream runs in order.
//   status   LAB_ESHAPE if a size is 0 or does not fit an int; then nothing is launched,
//            and the outputs stay unchanged. LAB_ECUDA if CUDA rejects a launch.
//
// Matrices are row-major, buffers never overlap, inputs are read-only. The kernels are not
// part of the contract: name and divide them as you like. Start reading at matmul_gpu;
// attention.cu is the file to edit.

#ifndef LAB_01_ATTENTION_GPU_H
#define LAB_01_ATTENTION_GPU_H

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 1.1  Matrix product: out = a b.
//
//     out[m,n] = sum over k of a[m,k] * b[k,n]
//
// Writes out_dev (M,N). Reads a_dev (M,K), b_dev (K,N).
// Source: NVIDIA, CUDA C++ Programming Guide, "Thread Hierarchy".
// Example: matmul_gpu(out_dev, weights_dev, v_dev, T, dv, S, stream).
LAB_CHECKED lab_status matmul_gpu(float *out_dev, const float *a_dev, const float *b_dev,
                                  size_t M, size_t N, size_t K, cudaStream_t stream);

// 1.1  Matrix product with the second factor transposed: out = a b^T.
//
//     out[m,n] = sum over k of a[m,k] * b[n,k]
//
// Writes out_dev (M,N). Reads a_dev (M,K), b_dev (N,K).
// Source: as for matmul_gpu.
// Example: matmul_nt_gpu(scores_dev, q_dev, k_dev, T, S, d, stream).
LAB_CHECKED lab_status matmul_nt_gpu(float *out_dev, const float *a_dev,
                                     const float *b_dev, size_t M, size_t N, size_t K,
                                     cudaStream_t stream);

// 1.3  How well each query fits each key.
//
//     scores[t,s] = (sum over i of q[t,i] * k[s,i]) / sqrt(d)
//
// Writes scores_dev (T,S), in natural-log units. Reads q_dev (T,d), k_dev (S,d).
// Source: NVIDIA, CUDA C++ Programming Guide, "Shared Memory" (the tiled product);
// Vaswani et al., arXiv:1706.03762, equation 1.
// Example: attention_scores_gpu(scores_dev, q_dev, k_dev, T, T, d, stream).
LAB_CHECKED lab_status attention_scores_gpu(float *scores_dev, const float *q_dev,
                                            const float *k_dev, size_t T, size_t S,
                                            size_t d, cudaStream_t stream);

// 1.4  Softmax: turns every row of scores into positive weights that sum to 1.
//
//     weights[t,s] = exp(scores[t,s]) / sum over r of exp(scores[t,r])
//
// Writes weights_dev (T,S). Reads scores_dev (T,S), finite or -INFINITY, in natural-log
// units. A score of -INFINITY gets weight 0, and a row of only -INFINITY becomes zeros.
// No finite score overflows, because each row's maximum is subtracted first. Rows can
// have any length, shorter than a warp or longer than a block.
// Source: Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007); Vaswani et al.,
// equation 1.
// Example: softmax_rows_gpu(weights_dev, scores_dev, T, S, stream).
LAB_CHECKED lab_status softmax_rows_gpu(float *weights_dev, const float *scores_dev,
                                        size_t T, size_t S, cudaStream_t stream);

// 1.5  Each output row is a weighted sum of the value rows.
//
//     out[t,i] = sum over s of weights[t,s] * v[s,i]
//
// Writes out_dev (T,dv). Reads weights_dev (T,S), v_dev (S,dv).
// Source: Vaswani et al., equation 1, the product with V.
// Example: weighted_values_gpu(out_dev, weights_dev, v_dev, T, T, d, stream).
LAB_CHECKED lab_status weighted_values_gpu(float *out_dev, const float *weights_dev,
                                           const float *v_dev, size_t T, size_t S,
                                           size_t dv, cudaStream_t stream);

LAB_GPU_END

#endif
