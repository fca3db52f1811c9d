// causal_gpu.h - the contract of lab 3's GPU side.
//
// The functions are those of causal.h, with the same arguments in the same order.
// Pointers named x_dev point into GPU memory. The work goes to a stream, and no function
// waits for it (see attention_gpu.h in lab 1). cublas is a handle that the caller has
// created and bound to the same stream (see batching_gpu.h in lab 2).
//
// If a size is 0 or does not fit the int of CUDA and cuBLAS, a function returns LAB_ESHAPE,
// launches nothing and leaves the outputs unchanged. If CUDA or cuBLAS rejects a call, it
// returns LAB_ECUDA, and the outputs may be partly written. No function allocates or waits.
//
// Start reading at causal_mask_gpu; causal.cu is the file to edit.

#ifndef LAB_03_CAUSAL_GPU_H
#define LAB_03_CAUSAL_GPU_H

#include <cublas_v2.h>
#include <stdint.h>

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// 3.1  Every query may see the keys up to its own position. Queries and keys are aligned at
//      the end, so the last query sees every key.
//
//   mask[t][s] = 1 when s <= t + (S - T), else 0
//
//   mask_dev (T, S) written
//
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3.
// Example: causal_mask_gpu(mask_dev, T, T, stream);
LAB_CHECKED lab_status causal_mask_gpu(uint8_t *mask_dev, size_t T, size_t S,
                                       cudaStream_t stream);

// 3.3  Softmax of each row over the keys that its mask allows, in one launch that never
//      stores masked scores. A forbidden key gets weight exactly 0, and its score makes no
//      difference. A row without an allowed key becomes zeros.
//
//   max           = largest scores[n][j] over the allowed j
//   weights[n][s] = exp(scores[n][s] - max) / sum over allowed j of exp(scores[n][j] - max)
//
//   weights_dev (N, S) written
//   scores_dev (N, S) read, in natural-log units    mask_dev (N, S) read
//
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1 and section 3.2.3.
// Example: masked_softmax_gpu(weights_dev, scores_dev, mask_dev, T, S, stream);
LAB_CHECKED lab_status masked_softmax_gpu(float *weights_dev, const float *scores_dev,
                                          const uint8_t *mask_dev, size_t N, size_t S,
                                          cudaStream_t stream);

// 3.4  Self-attention of every sequence with itself, in which no token sees a later one:
//      weights[b][t][s] is exactly 0 for s > t. Also returns LAB_ESHAPE if B * T does not fit
//      an int.
//
//   q = x w_q^T    k = x w_k^T    v = x w_v^T
//   weights[b] = masked softmax(q[b] k[b]^T / sqrt(C))    out[b] = weights[b] v[b]
//
//   out_dev (B, T, C) written    weights_dev (B, T, T) written: row = query, column = key
//   q_dev, k_dev, v_dev (B, T, C), scores_dev (B, T, T), mask_dev (T, T): workspaces,
//   which you need not write
//   x_dev (B, T, C) read    w_q_dev, w_k_dev, w_v_dev (C, C) read, each (out, in)
//
// Also returns what the functions of lab 2 return when they fail.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1 and section 3.2.3.
// Example: causal_attention_gpu(out_dev, weights_dev, q_dev, k_dev, v_dev, scores_dev,
//                               mask_dev, x_dev, w_q_dev, w_k_dev, w_v_dev, B, T, C,
//                               cublas, stream);
LAB_CHECKED lab_status causal_attention_gpu(float *out_dev, float *weights_dev,
                                            float *q_dev, float *k_dev, float *v_dev,
                                            float *scores_dev, uint8_t *mask_dev,
                                            const float *x_dev, const float *w_q_dev,
                                            const float *w_k_dev, const float *w_v_dev,
                                            size_t B, size_t T, size_t C,
                                            cublasHandle_t cublas, cudaStream_t stream);

LAB_GPU_END

#endif
