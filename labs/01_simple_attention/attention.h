// attention.h - the contract of lab 1: attention over one sequence.
//
// Every matrix is row-major, last index fastest: element (t, c) of a (T, C) matrix is
// a[t * C + c]. Arguments come in the order outputs, inputs, sizes. Buffers belong to the
// caller and never overlap. Inputs are read-only, outputs are write-only, and no function
// allocates memory. If a size is 0, every function returns LAB_ESHAPE and leaves its
// outputs unchanged.
//
//   T  queries (rows of the scores)      C   width of the input x
//   S  keys (columns of the scores)      d   width of a query and of a key (later: hs)
//                                        dv  width of a value
//
//   x ──┬─ w_q ─> q ──┐
//       ├─ w_k ─> k ──┴─> scores ──softmax──> weights ──┐
//       └─ w_v ─> v ────────────────────────────────────┴─> out
//
// Below, "Paper" is Vaswani et al., "Attention Is All You Need", NeurIPS 2017
// (arXiv:1706.03762). Start reading at matmul; attention.c is the file to edit.

#ifndef LAB_01_ATTENTION_H
#define LAB_01_ATTENTION_H

#include <stddef.h>

#include "common/dimensions.h"
#include "common/status.h"

// 1.1  Matrix product: out = a b.
//
//     out[m,n] = sum over k of a[m,k] * b[k,n]
//
// Writes out (M,N). Reads a (M,K), b (K,N). Infinities and NaN get no special treatment: 0
// times infinity is NaN, so no term may be left out.
// Example: matmul(out, weights, v, T, dv, S) mixes S value rows into T output rows.
LAB_CHECKED lab_status matmul(float *out, const float *a, const float *b, size_t M,
                              size_t N, size_t K);

// 1.1  Matrix product with the second factor transposed: out = a b^T.
//
//     out[m,n] = sum over k of a[m,k] * b[n,k]
//
// Writes out (M,N). Reads a (M,K), b (N,K), both along their rows; b is never copied or
// transposed in memory. Infinities and NaN as in matmul.
// Example: matmul_nt(scores, q, k, T, S, d) is every dot product of a query with a key.
LAB_CHECKED lab_status matmul_nt(float *out, const float *a, const float *b, size_t M,
                                 size_t N, size_t K);

// 1.2  Linear layer with the weight layout of PyTorch's nn.Linear: y = x w^T + bias.
//
//     y[t,o] = bias[o] + sum over i of x[t,i] * w[o,i]
//
// Writes y (T,O). Reads x (T,I), w (O,I): one row for each output; bias (O), or NULL for no
// bias. Source: Paper, section 3.2.2, the projections W^Q, W^K, W^V (the paper writes x W).
// Example: linear(q, x, w_q, NULL, T, C, d).
LAB_CHECKED lab_status linear(float *y, const float *x, const float *w, const float *bias,
                              size_t T, size_t I, size_t O);

// 1.3  How well each query fits each key.
//
//     scores[t,s] = (sum over i of q[t,i] * k[s,i]) / sqrt(d)
//
// Writes scores (T,S), in natural-log units: adding log 2 to one doubles its weight before
// normalizing. Reads q (T,d), k (S,d). Source: Paper, equation 1, the part inside softmax.
// Example: attention_scores(scores, q, k, T, T, d).
LAB_CHECKED lab_status attention_scores(float *scores, const float *q, const float *k,
                                        size_t T, size_t S, size_t d);

// 1.4  Softmax: turns every row of scores into positive weights that sum to 1.
//
//     weights[t,s] = exp(scores[t,s]) / sum over r of exp(scores[t,r])
//
// Writes weights (T,S), each row summing to 1. Reads scores (T,S), finite or -INFINITY,
// in natural-log units. A score of -INFINITY gets weight 0, and a row of only -INFINITY
// becomes zeros (PyTorch gives NaN). No finite score overflows, because each row's
// maximum is subtracted first. Source: Paper, equation 1; Milakov and Gimelshein, "Online
// normalizer calculation for softmax", arXiv:1805.02867, algorithm 2.
// Example: softmax_rows(weights, scores, T, S).
LAB_CHECKED lab_status softmax_rows(float *weights, const float *scores, size_t T,
                                    size_t S);

// 1.5  Each output row is a weighted sum of the value rows.
//
//     out[t,i] = sum over s of weights[t,s] * v[s,i]
//
// Writes out (T,dv). Reads weights (T,S), v (S,dv). Source: Paper, equation 1, the product
// with V. Example: weighted_values(out, weights, v, T, T, d).
LAB_CHECKED lab_status weighted_values(float *out, const float *weights, const float *v,
                                       size_t T, size_t S, size_t dv);

// 1.6  Self-attention of one sequence, without bias and without mask.
//
//     q = x w_q^T    k = x w_k^T    v = x w_v^T
//     weights = softmax(q k^T / sqrt(d))
//     out     = weights v
//
// Writes out (T,d), weights (T,T), and the workspaces q, k, v (T,d) and scores (T,T),
// whose final contents are not judged. Reads x (T,C) and w_q, w_k, w_v (d,C). If a
// function it calls fails, returns that function's status.
// Source: Paper, equation 1 with Q, K and V made from the same x (section 3.2.3).
// Example: simple_attention(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d).
LAB_CHECKED lab_status simple_attention(float *out, float *weights, float *q, float *k,
                                        float *v, float *scores, const float *x,
                                        const float *w_q, const float *w_k,
                                        const float *w_v, size_t T, size_t C, size_t d);

#endif
