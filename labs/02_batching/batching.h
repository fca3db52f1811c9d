// batching.h - the contract of lab 2: many sequences at once, (B, T, C).
//
// Every tensor is row-major, last index fastest: element (b, t, c) of a (B, T, C) tensor
// is x[(b * T + t) * C + c], so sequence b starts at x + b * T * C. Arguments come in the
// order outputs, inputs, sizes. Buffers belong to the caller and never overlap, and no
// function allocates memory. If a size is 0, or goes to BLAS and does not fit its int, every
// function returns LAB_ESHAPE and leaves its outputs unchanged.
//
//   B  sequences in the batch    T  query length    C  model width
//   N  rows in general           S  key length      I, O  width into and out of a linear layer
//
// Start reading at matmul; batching.c is the file to edit.

#ifndef LAB_02_BATCHING_H
#define LAB_02_BATCHING_H

#include <stddef.h>

#include "common/dimensions.h"
#include "common/status.h"

// 2.1  The product of two matrices, by one call to cblas_sgemm.
//
//   out[m][n] = sum over k of a[m][k] * b[k][n]
//
//   out (M, N) written    a (M, K) read    b (K, N) read
//
// Source: Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms (1990).
// Example: matmul(out, weights, v, T, C, S);    out (T, C) = weights (T, S) v (S, C)
LAB_CHECKED lab_status matmul(float *out, const float *a, const float *b, size_t M,
                              size_t N, size_t K);

// 2.1  The product with the second matrix transposed, by one call to cblas_sgemm with its
//      transpose flag. b is never copied.
//
//   out[m][n] = sum over k of a[m][k] * b[n][k]
//
//   out (M, N) written    a (M, K) read    b (N, K) read
//
// Source: as for matmul.
// Example: matmul_nt(scores, q, k, T, S, C);    scores (T, S) = q (T, C) k (S, C)^T
LAB_CHECKED lab_status matmul_nt(float *out, const float *a, const float *b, size_t M,
                                 size_t N, size_t K);

// 2.2  One product for each sequence of the batch.
//
//   out[i] = a[i] b[i]    for i = 0 ... B - 1
//
//   out (B, M, N) written    a (B, M, K) read    b (B, K, N) read
//
// Source: torch.bmm.
// Example: batched_matmul(out, weights, v, B, T, C, S);
LAB_CHECKED lab_status batched_matmul(float *out, const float *a, const float *b,
                                      size_t B, size_t M, size_t N, size_t K);

// 2.2  The same with the last two axes of b transposed. The batch axis stays in place.
//
//   out[i] = a[i] b[i]^T    for i = 0 ... B - 1
//
//   out (B, M, N) written    a (B, M, K) read    b (B, N, K) read
//
// Source: torch.bmm(a, b.transpose(1, 2)).
// Example: batched_matmul_nt(scores, q, k, B, T, S, C);
LAB_CHECKED lab_status batched_matmul_nt(float *out, const float *a, const float *b,
                                         size_t B, size_t M, size_t N, size_t K);

// 2.3  The same linear layer for every token of every sequence, as ONE product over the
//      B * T rows of x.
//
//   y[b][t][o] = sum over i of x[b][t][i] * w[o][i] + bias[o]
//
//   y (B, T, O) written    x (B, T, I) read    w (O, I) read    bias (O) read, or NULL: none
//
// Source: torch.nn.functional.linear.
// Example: batched_linear(q, x, w_q, NULL, B, T, C, C);
LAB_CHECKED lab_status batched_linear(float *y, const float *x, const float *w,
                                      const float *bias, size_t B, size_t T, size_t I,
                                      size_t O);

// 2.4  Softmax along S: turns every row (b, t) of scores into weights that sum to 1. Stable
//      for all finite scores. A row of only -INFINITY becomes zeros (PyTorch gives NaN).
//
//   weights[b][t][s] = exp(scores[b][t][s] - max) / sum over s' of exp(scores[b][t][s'] - max)
//
//   weights (B, T, S) written    scores (B, T, S) read, in natural-log units
//
// Source: Bridle, Probabilistic Interpretation of Feedforward Network Outputs (1990).
// Example: batched_softmax(weights, scores, B, T, T);
LAB_CHECKED lab_status batched_softmax(float *weights, const float *scores, size_t B,
                                       size_t T, size_t S);

// 2.5  Self-attention of every sequence with itself. No sequence sees another.
//
//   q = x w_q^T    k = x w_k^T    v = x w_v^T
//   weights[b] = softmax(q[b] k[b]^T / sqrt(C))    out[b] = weights[b] v[b]
//
//   out (B, T, C) written    weights (B, T, T) written: row = query, column = key
//   q, k, v (B, T, C) and scores (B, T, T): workspaces, written
//   x (B, T, C) read    w_q, w_k, w_v (C, C) read, each (out, in)
//
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1.
// Example: batched_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_v, B, T, C);
LAB_CHECKED lab_status batched_attention(float *out, float *weights, float *q, float *k,
                                         float *v, float *scores, const float *x,
                                         const float *w_q, const float *w_k,
                                         const float *w_v, size_t B, size_t T, size_t C);

#endif
