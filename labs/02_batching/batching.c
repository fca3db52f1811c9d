// batching.c - lab 2: attention over a whole batch, with products by BLAS.
//
// A (B, T, C) tensor is B matrices, one after the other. It is also ONE matrix of B * T
// rows.
//
// batching.h describes each function's arguments and result.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1.
// Start reading at matmul, or at batched_attention for the overview.

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
    // TODO 2.1: one call to cblas_sgemm (about 4 lines)
    return lab_todo(out, a, b, M, N, K);
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N,
                     size_t K)
{
    if (!fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // TODO 2.1: the same call with a flag and another leading dimension for b (about 4
    // lines)
    return lab_todo(out, a, b, M, N, K);
}

// ---- 2.2  one product per sequence --------------------------------------------------------

lab_status batched_matmul(float *out, const float *a, const float *b, size_t B, size_t M,
                          size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // TODO 2.2: matmul for each sequence, in a LAB_TRY; each tensor has a different
    // distance to the next sequence (about 4 lines)
    return lab_todo(out, a, b, B, M, N, K);
}

lab_status batched_matmul_nt(float *out, const float *a, const float *b, size_t B,
                             size_t M, size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    // TODO 2.2: the same with matmul_nt (about 4 lines)
    return lab_todo(out, a, b, B, M, N, K);
}

// ---- 2.3  one product over all rows -------------------------------------------------------

lab_status batched_linear(float *y, const float *x, const float *w, const float *bias,
                          size_t B, size_t T, size_t I, size_t O)
{
    // Check T first, because INT_MAX / T needs T > 0.
    if (!fits_blas(T) || !fits_blas(I) || !fits_blas(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 2.3: one product over B * T rows, then add the bias to every row unless it is
    // NULL (about 10 lines)
    return lab_todo(y, x, w, bias, B, T, I, O);
}

// ---- 2.4  softmax of all rows -------------------------------------------------------------

lab_status batched_softmax(float *weights, const float *scores, size_t B, size_t T,
                           size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 2.4: all sequences together have B * T rows; for each row: the maximum, exp
    // and sum, the division; zeros in a row of -INFINITY (about 24 lines)
    return lab_todo(weights, scores, B, T, S);
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
    // TODO 2.5: three projections, scores over sqrt(C), softmax, weighted values, each
    // call in a LAB_TRY (about 10 lines)
    return lab_todo(out, weights, q, k, v, scores, x, w_q, w_k, w_v, B, T, C);
}
