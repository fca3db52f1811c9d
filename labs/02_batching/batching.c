// batching.c - lab 2: attention over a whole batch, with the products done by BLAS.
//
// A (B, T, C) tensor is B matrices lying one behind the other, and at the same time ONE
// matrix of B * T rows.
//
// What each function takes and returns stands in batching.h.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1.
// Start reading at matmul, and at batched_attention for the whole.

#include "02_batching/batching.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

// BLAS counts with int. A larger size must be refused: the cast would wrap it silently.
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
    // TODO 2.1: one call of cblas_sgemm (about 4 lines)
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
    // TODO 2.2: matmul for each sequence, in a LAB_TRY; every tensor has its own distance
    // from one sequence to the next (about 4 lines)
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
    // T first: it must not be 0 when B is compared with INT_MAX / T.
    if (!fits_blas(T) || !fits_blas(I) || !fits_blas(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 2.3: one product over B * T rows, then the bias, if there is one, onto every
    // row (about 10 lines)
    return lab_todo(y, x, w, bias, B, T, I, O);
}

// ---- 2.4  softmax of all rows -------------------------------------------------------------

lab_status batched_softmax(float *weights, const float *scores, size_t B, size_t T,
                           size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 2.4: the rows of all sequences are B * T rows; per row the maximum, then exp
    // and sum, then the division; a row without a finite score becomes zeros (about 24
    // lines)
    return lab_todo(weights, scores, B, T, S);
}

// ---- 2.5  the whole -----------------------------------------------------------------------

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
