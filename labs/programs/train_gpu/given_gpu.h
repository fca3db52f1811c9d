// given_gpu.h - the kernels of a training step that are not exercises.
//
// All pointers are device pointers. The work goes into stream. No size is 0.

#ifndef LAB_GIVEN_GPU_H
#define LAB_GIVEN_GPU_H

#include <stddef.h>

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN

// out[b][t] = x[b][t] + table[t]    out, x (B, T, C)    table (T_max, C), T <= T_max
LAB_CHECKED lab_status given_add_positions(float *out, const float *x, const float *table,
                                           size_t B, size_t T, size_t C,
                                           cudaStream_t stream);

// dtable[t] += sum over b of dy[b][t]    dtable (T_max, C), dy (B, T, C)
LAB_CHECKED lab_status given_positions_backward(float *dtable, const float *dy, size_t B,
                                                size_t T, size_t C, cudaStream_t stream);

// qkv (N, 3C) from q, k, v (N, C): the inverse of split_qkv
LAB_CHECKED lab_status given_join_qkv(float *qkv, const float *q, const float *k,
                                      const float *v, size_t N, size_t C,
                                      cudaStream_t stream);

// 6.4  dlogits[n][i] = (probabilities[n][i] - [i == targets[n]]) / N    (N, V)
LAB_CHECKED lab_status given_cross_entropy_backward(float *dlogits,
                                                    const float *probabilities,
                                                    const size_t *targets, size_t N,
                                                    size_t V, cudaStream_t stream);

// 6.10  dtable[tokens[n]] += dy[n] for every n, in the order of n    dtable (V, C), dy (N, C)
LAB_CHECKED lab_status given_embedding_backward(float *dtable, const float *dy,
                                                const size_t *tokens, size_t N, size_t C,
                                                size_t V, cudaStream_t stream);

// 6.13  norm (1) = length of g (N); g *= min(1, max_norm / (norm + 1e-6))
LAB_CHECKED lab_status given_clip_grad_norm(float *norm, float *g, float max_norm,
                                            size_t N, cudaStream_t stream);

LAB_GPU_END

#endif
