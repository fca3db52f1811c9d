// attention.h - the contract of lab 1: attention over one sequence.
//
// Every matrix is row-major, last index fastest: element (t, c) of a (T, C) matrix is
// a[t * C + c]. Arguments come in the order outputs, inputs, sizes. Buffers belong to the
// caller, never overlap, and no function allocates. Every function returns LAB_ESHAPE when
// one of its sizes is 0, and then leaves its outputs as they were.
//
//   T  query length (rows)   S  key length      C  width of the input x
//   d  width of a query or a key (later labs call it hs)
//
// Start reading at matmul; attention.c is the file to edit.

#ifndef LAB_01_ATTENTION_H
#define LAB_01_ATTENTION_H

#include <stddef.h>

#include "common/status.h"

// 1.1  out(M,N) = a(M,K) b(K,N)
LAB_CHECKED lab_status matmul(float *out, const float *a, const float *b, size_t M,
                              size_t N, size_t K);

// 1.1  out(M,N) = a(M,K) b(N,K)^T
LAB_CHECKED lab_status matmul_nt(float *out, const float *a, const float *b, size_t M,
                                 size_t N, size_t K);

// 1.2  y(T,O) = x(T,I) w(O,I)^T + bias(O); bias may be NULL: no bias.
LAB_CHECKED lab_status linear(float *y, const float *x, const float *w, const float *bias,
                              size_t T, size_t I, size_t O);

// 1.3  scores(T,S) = q(T,d) k(S,d)^T / sqrt(d)
LAB_CHECKED lab_status attention_scores(float *scores, const float *q, const float *k,
                                        size_t T, size_t S, size_t d);

// 1.4  weights(T,S) = softmax of each row of scores(T,S). A row that is -INFINITY
//      throughout becomes zeros.
LAB_CHECKED lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S);

// 1.5  out(T,dv) = weights(T,S) v(S,dv)
LAB_CHECKED lab_status weighted_values(float *out, const float *weights, const float *v,
                                       size_t T, size_t S, size_t dv);

// 1.6  q = x w_q^T, k = x w_k^T, v = x w_v^T; scores, softmax, weighted values.
//      out(T,d), weights(T,T); workspaces q, k, v (T,d) and scores(T,T);
//      x(T,C), w_q, w_k, w_v (d,C).
LAB_CHECKED lab_status simple_attention(float *out, float *weights, float *q, float *k,
                                        float *v, float *scores, const float *x,
                                        const float *w_q, const float *w_k,
                                        const float *w_v, size_t T, size_t C, size_t d);

#endif
