// batching.c - lab 2: attention over a whole batch, with products by BLAS.
//
// A (B, T, C) tensor is B matrices, one after the other. It is also ONE matrix of B * T
// rows.
//
// batching.h describes each function's arguments and result.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1.
// Start reading at matmul, or at batched_attention for the overview.

// BEGIN SOLUTION 2.2 one matrix or B matrices
// If every row is treated alike (2.3, 2.4), read the batch as one matrix and save the loop.
// If every sequence needs its own product (2.2), it must stay B matrices.
// END SOLUTION 2.2

#include "02_batching/batching.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

// BLAS sizes are int. Reject larger ones, because the cast would silently wrap.
static bool fits_blas(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 2.1  one product ---------------------------------------------------------------------

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N,
                  size_t K)
{
    if (!fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.1 matmul: one call to cblas_sgemm (about 4 lines)
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k, b, n,
                0.0f, out, n);
    return LAB_OK;
    // END SOLUTION 2.1
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N,
                     size_t K)
{
    if (!fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.1 matmul_nt: the same call with a flag and another leading dimension
    // for b (about 4 lines)
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f,
                out, n);
    return LAB_OK;
    // END SOLUTION 2.1
}

// ---- 2.2  one product per sequence --------------------------------------------------------

lab_status batched_matmul(float *out, const float *a, const float *b, size_t B, size_t M,
                          size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.2 batched_matmul: matmul for each sequence, in a LAB_TRY; each
    // tensor has a different distance to the next sequence (about 4 lines)
    for (size_t i = 0; i < B; i++) {
        LAB_TRY(matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K));
    }
    return LAB_OK;
    // END SOLUTION 2.2
}

lab_status batched_matmul_nt(float *out, const float *a, const float *b, size_t B,
                             size_t M, size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.2 batched_matmul_nt: the same with matmul_nt (about 4 lines)
    for (size_t i = 0; i < B; i++) {
        LAB_TRY(matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K));
    }
    return LAB_OK;
    // END SOLUTION 2.2
}

// ---- 2.3  one product over all rows -------------------------------------------------------

lab_status batched_linear(float *y, const float *x, const float *w, const float *bias,
                          size_t B, size_t T, size_t I, size_t O)
{
    // Check T first, because INT_MAX / T needs T > 0.
    if (!fits_blas(T) || !fits_blas(I) || !fits_blas(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.3 batched_linear: one product over B * T rows, then add the bias
    // to every row unless it is NULL (about 10 lines)
    const size_t N = B * T; // the whole batch as one matrix
    LAB_TRY(matmul_nt(y, x, w, N, O, I));
    if (bias != NULL) {
        for (size_t n = 0; n < N; n++) {
            for (size_t o = 0; o < O; o++) {
                y[n * O + o] += bias[o];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 2.3
}

// ---- 2.4  softmax of all rows -------------------------------------------------------------

lab_status batched_softmax(float *weights, const float *scores, size_t B, size_t T,
                           size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.4 batched_softmax: all sequences together have B * T rows; for
    // each row: the maximum, exp and sum, the division; zeros in a row of -INFINITY
    // (about 24 lines)
    const size_t N = B * T; // every row is treated alike
    for (size_t n = 0; n < N; n++) {
        const float *scores_n = scores + n * S;
        float *weights_n = weights + n * S;

        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores_n[s]);
        }
        if (max == -INFINITY) { // no allowed key: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_n[s] = 0.0f;
            }
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] = expf(scores_n[s] - max); // at most exp(0): cannot overflow
            sum += weights_n[s];                    // at least 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_n[s] /= sum;
        }
    }
    return LAB_OK;
    // END SOLUTION 2.4
}

// ---- 2.5  attention -----------------------------------------------------------------------

lab_status batched_attention(float *out, float *weights, float *q, float *k, float *v,
                             float *scores, const float *x, const float *w_q,
                             const float *w_k, const float *w_v, size_t B, size_t T,
                             size_t C)
{
    if (!fits_blas(T) || !fits_blas(C) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.5 batched_attention: three projections, scores over sqrt(C), softmax,
    // weighted values, each call in a LAB_TRY (about 10 lines)
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));

    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }

    LAB_TRY(batched_softmax(weights, scores, B, T, T));
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;
    // END SOLUTION 2.5
}
