// batching.c - lab 2 at the hardware's speed: the twin of solutions/02_batching/batching.c.
//
// Read the plain one first; this one computes the same. What it gains, step by step:
//
//   1. small products by hand    A head of lab 6's model is (8,8) times (8,8). BLAS needs longer to
//      (2.2)                     begin than such a product takes: lab_small_product is the three
//                                loops of lab 1, four rows and eight columns at a time.
//   2. w turned once (2.3)       OpenBLAS copies both factors of a product with CblasTrans into an
//                                order of its own. A small w is transposed here instead, and the
//                                rows are multiplied in blocks that need no copy (common/product.h).
//   3. wide bias loop (2.3)      LAB_WIDE compiles a loop for the widest vectors of the machine.
//   4. wide softmax (2.4)        Pass by pass over a few rows: lab_max, lab_exp and lab_sum work on 4
//                                to 16 numbers at a time, where expf is a call for each number. A
//                                multiplication by 1 / sum takes the place of a division.
//
// To measure: `make train SRC=solutions` and `make train SRC=solutions/fast` print the steps a
// second of a whole model.

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
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k, b, n,
                0.0f, out, n);
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N,
                     size_t K)
{
    if (!fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f,
                out, n);
    return LAB_OK;
}

// ---- 2.2  one product per sequence --------------------------------------------------------

// A product of so few terms is done before a call of BLAS has begun: the heads of lab 6's model
// are (8,8) times (8,8). lab_small_product is the three loops of lab 1, eight columns at a time.
enum { FEW_TERMS = 2048 };

static bool is_small(size_t M, size_t N, size_t K)
{
    return M <= FEW_TERMS && N <= FEW_TERMS && K <= FEW_TERMS && M * N * K <= FEW_TERMS;
}

LAB_WIDE static void small_product(float *out, const float *a, const float *b, size_t M,
                                   size_t N, size_t K)
{
    lab_small_product(out, 1.0f, a, K, 1, b, M, N, K);
}

LAB_WIDE static void small_product_nt(float *out, const float *a, const float *b,
                                      size_t M, size_t N, size_t K)
{
    float b_transposed[FEW_TERMS]; // (K, N): no more than M N K numbers
    for (size_t n = 0; n < N; n++) {
        for (size_t k = 0; k < K; k++) {
            b_transposed[k * N + n] = b[n * K + k];
        }
    }
    lab_small_product(out, 1.0f, a, K, 1, b_transposed, M, N, K);
}

lab_status batched_matmul(float *out, const float *a, const float *b, size_t B, size_t M,
                          size_t N, size_t K)
{
    if (B == 0 || !fits_blas(M) || !fits_blas(N) || !fits_blas(K)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        if (is_small(M, N, K)) {
            small_product(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
            continue;
        }
        LAB_TRY(matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K));
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
        if (is_small(M, N, K)) {
            small_product_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
            continue;
        }
        LAB_TRY(matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K));
    }
    return LAB_OK;
}

// ---- 2.3  one product over all rows -------------------------------------------------------

// y (N, O) = x (N, I) w^T, where w (O, I) is small and x has many rows. Turning w once and
// multiplying block by block is faster than matmul_nt here (common/product.h says why).
enum { FEW_WEIGHTS = 4096 };

static lab_status product_with_few_weights(float *y, const float *x, const float *w,
                                           size_t N, size_t I, size_t O)
{
    float w_transposed[FEW_WEIGHTS]; // (I, O)
    for (size_t o = 0; o < O; o++) {
        for (size_t i = 0; i < I; i++) {
            w_transposed[i * O + o] = w[o * I + i];
        }
    }
    const size_t rows = lab_rows_of_a_block(N, I, O);
    for (size_t n = 0; n < N; n += rows) {
        const size_t count = rows < N - n ? rows : N - n;
        LAB_TRY(matmul(y + n * O, x + n * I, w_transposed, count, O, I));
    }
    return LAB_OK;
}

// y (N, O) += bias (O), which every row gets
LAB_WIDE static void add_bias(float *restrict y, const float *restrict bias, size_t N,
                              size_t O)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            y[n * O + o] += bias[o];
        }
    }
}

lab_status batched_linear(float *y, const float *x, const float *w, const float *bias,
                          size_t B, size_t T, size_t I, size_t O)
{
    // T first: it must not be 0 when B is compared with INT_MAX / T.
    if (!fits_blas(T) || !fits_blas(I) || !fits_blas(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T;
    if (I <= FEW_WEIGHTS / O && N >= 64) {
        LAB_TRY(product_with_few_weights(y, x, w, N, I, O));
    } else {
        LAB_TRY(matmul_nt(y, x, w, N, O, I));
    }
    if (bias != NULL) {
        add_bias(y, bias, N, O);
    }
    return LAB_OK;
}

// ---- 2.4  softmax of all rows -------------------------------------------------------------

// A few rows, pass by pass. lab_max, lab_exp and lab_sum are the plain loops in a form that the
// compiler computes 4 to 16 numbers at a time of; expf, a call for each number, took longer than
// the products.
LAB_WIDE
static void softmax_rows(float *restrict weights, const float *restrict scores, size_t N,
                         size_t S)
{
    for (size_t n = 0; n < N; n++) {
        const float max = lab_max(scores + n * S, S);
        // exp(-inf - -inf) would be NaN. Without any key to look at, every weight is 0.
        const float shift = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = scores[n * S + s] - shift;
        }
    }
    for (size_t i = 0; i < N * S; i++) {
        weights[i] = lab_exp(weights[i]);
    }
    for (size_t n = 0; n < N; n++) {
        const float sum = lab_sum(weights + n * S, S);
        const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] *= scale;
        }
    }
}

lab_status batched_softmax(float *weights, const float *scores, size_t B, size_t T,
                           size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T, rows = lab_rows_at_once(S);
    for (size_t n = 0; n < N; n += rows) {
        softmax_rows(weights + n * S, scores + n * S, rows < N - n ? rows : N - n, S);
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
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));
    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));

    const float scale = 1.0f / sqrtf((float)C);
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] *= scale;
    }

    LAB_TRY(batched_softmax(weights, scores, B, T, T));
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;
}
