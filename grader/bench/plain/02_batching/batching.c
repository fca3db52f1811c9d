// batching.c - lab 2 as it is first written: plain loops, and BLAS for the products. The bench
// of verdicts (grader/tools/bench.sh) edits this one, for that is what a student edits; the
// solution is longer, because it is fast.

#include "02_batching/batching.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include "common/product.h"
#include "common/vector_math.h"

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
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 0.0f, out, (int)N);
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N,
                     size_t K)
{
    if (!fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f, a,
                (int)K, b, (int)K, 0.0f, out, (int)N);
    return LAB_OK;
}

// ---- 2.2  one product per sequence --------------------------------------------------------

lab_status batched_matmul(float *out, const float *a, const float *b, size_t B, size_t M,
                          size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        lab_status status =
            matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
}

lab_status batched_matmul_nt(float *out, const float *a, const float *b, size_t B,
                             size_t M, size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        lab_status status =
            matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
}

// ---- 2.3  one product over all rows -------------------------------------------------------

lab_status batched_linear(float *y, const float *x, const float *w, const float *bias,
                          size_t B, size_t T, size_t I, size_t O)
{
    // T first: it must not be 0 when B is compared with INT_MAX / T.
    if (!fits_blas(T) || !fits_blas(I) || !fits_blas(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    lab_status status = matmul_nt(y, x, w, B * T, O, I);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t n = 0; bias != NULL && n < B * T; n++) {
        for (size_t o = 0; o < O; o++) {
            y[n * O + o] += bias[o];
        }
    }
    return LAB_OK;
}

// ---- 2.4  softmax of all rows -------------------------------------------------------------

lab_status batched_softmax(float *weights, const float *scores, size_t B, size_t T,
                           size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < B * T; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = max == -INFINITY ? 0.0f : expf(scores[n * S + s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            weights[n * S + s] /= sum;
        }
    }
    return LAB_OK;
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
    lab_status status = batched_linear(q, x, w_q, NULL, B, T, C, C);
    if (status == LAB_OK) {
        status = batched_linear(k, x, w_k, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(v, x, w_v, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_matmul_nt(scores, q, k, B, T, T, C);
    }
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }
    status = batched_softmax(weights, scores, B, T, T);
    if (status == LAB_OK) {
        status = batched_matmul(out, weights, v, B, T, C, T);
    }
    return status;
}
