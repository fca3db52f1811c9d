// batching.h - the contract of lab 2: many sequences at once, (B, T, C).

#ifndef LAB_02_BATCHING_H
#define LAB_02_BATCHING_H

#include <stddef.h>

#include "common/status.h"

// 2.1  out(M,N) = a(M,K) b(K,N), by one call of cblas_sgemm.
LAB_CHECKED lab_status matmul(float *out, const float *a, const float *b, size_t M,
                              size_t N, size_t K);

// 2.1  out(M,N) = a(M,K) b(N,K)^T, by one call of cblas_sgemm with a transpose flag.
LAB_CHECKED lab_status matmul_nt(float *out, const float *a, const float *b, size_t M,
                                 size_t N, size_t K);

// 2.2  out(B,M,N): out[b] = a[b](M,K) b[b](K,N) for every b of the batch.
LAB_CHECKED lab_status batched_matmul(float *out, const float *a, const float *b, size_t B,
                                      size_t M, size_t N, size_t K);

// 2.2  out(B,M,N): out[b] = a[b](M,K) b[b](N,K)^T. Only the last two axes transpose.
LAB_CHECKED lab_status batched_matmul_nt(float *out, const float *a, const float *b,
                                         size_t B, size_t M, size_t N, size_t K);

// 2.3  y(B,T,O) = x(B,T,I) w(O,I)^T + bias(O) or no bias (NULL), ONE product over B*T rows.
LAB_CHECKED lab_status batched_linear(float *y, const float *x, const float *w,
                                      const float *bias, size_t B, size_t T, size_t I,
                                      size_t O);

// 2.4  weights(B,T,S) = softmax along S of scores(B,T,S); a row of -INFINITY becomes zeros.
LAB_CHECKED lab_status batched_softmax(float *weights, const float *scores, size_t B,
                                       size_t T, size_t S);

// 2.5  out(B,T,C), weights(B,T,T); workspaces q, k, v (B,T,C) and scores(B,T,T);
//      x(B,T,C), w_q, w_k, w_v (C,C). Scores are divided by sqrt(C).
LAB_CHECKED lab_status batched_attention(float *out, float *weights, float *q, float *k,
                                         float *v, float *scores, const float *x,
                                         const float *w_q, const float *w_k,
                                         const float *w_v, size_t B, size_t T, size_t C);

#endif
