// batching.c - lab 2 at the hardware's speed: the twin of solutions/02_batching/batching.c.
//
// Read the plain file first. This one computes the same, faster. The steps that led here:
//
//   1. small products by hand    A head of lab 6's model multiplies (8,8) by (8,8). BLAS takes longer
//      (2.2)                     to start than such a product takes. lab_small_product is the three
//                                loops of lab 1, four rows and eight columns at a time.
//   2. transpose w once (2.3)    For a product with CblasTrans, OpenBLAS copies both factors into its
//                                own order. Instead, this file transposes a small w and multiplies
//                                the rows in blocks that need no copy (fast/common/product.h).
//   3. wide bias loop (2.3)      LAB_WIDE compiles a loop for the widest vectors of the machine.
//   4. wide softmax (2.4)        lab_max, lab_exp and lab_sum work on 4 to 16 numbers at a time; expf
//                                is a call for each number. A multiplication by 1 / sum replaces the
//                                division.
//   5. one pass after another    For a short row, starting a vector loop costs more than it saves. So
//      (2.4)                     each loop does one thing to many rows.
//   6. large weights in place    A layer's weights are far larger than a hundred tokens. BLAS first
//      (2.1, 2.3)                copies both into its own order; lab_product_nt copies only the tokens.
//
// BEGIN MEASURED: build/bench/ladder 02_batching/batching.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// matmul, M=256, N=256, K=256
//     three loops, an output at a time                          20051.0 us   1.00
//     the loops in another order: b row by row                   1790.9 us  11.20
//     LAB_WIDE: the widest vectors there are                     1463.4 us  13.70
//     four rows and eight columns in registers                    765.7 us  26.18
//     one call of BLAS (plain, and this file)                     243.2 us  82.45
//
// batched_matmul, B=128, M=8, N=8, K=8
//     plain: a call of BLAS for each product                        5.8 us   1.00
//        three loops for each product                              32.7 us   0.18
//     1  in registers (this file)                                   4.8 us   1.21
//
// batched_linear, B=32, T=8, I=32, O=32
//     plain: one product, the bias                                  7.2 us   1.00
//     2  w transposed once                                          5.4 us   1.33
//     2  and blocks of rows                                         5.3 us   1.35
//     3  a wide bias loop (this file)                               4.4 us   1.63
//
// batched_linear, B=32, T=8, I=32, O=128
//     plain: one product, the bias                                 25.0 us   1.00
//     2  w transposed once                                         26.3 us   0.95
//     2  and blocks of rows                                        20.9 us   1.19
//     3  a wide bias loop (this file)                              18.8 us   1.33
//
// batched_linear, B=32, T=8, I=128, O=32
//     plain: one product, the bias                                 21.9 us   1.00
//     2  w transposed once                                         24.4 us   0.90
//     2  and blocks of rows                                        17.4 us   1.26
//     3  a wide bias loop (this file)                              15.8 us   1.39
//
// batched_softmax, B=128, T=8, S=8
//     plain: expf, a call for each number                          51.8 us   1.00
//     4  lab_max, lab_exp, lab_sum, one row at a time              25.4 us   2.04
//     5  pass by pass over many rows (this file)                   12.1 us   4.28
// END MEASURED

#include "02_batching/batching.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include "fast/common/product.h"
#include "fast/common/product_nt.h"
#include "fast/common/vector_math.h"

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
    if (lab_product_nt_pays(M, K, N)) {
        lab_product_nt(out, a, b, M, K, N);
        return LAB_OK;
    }
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f,
                out, n);
    return LAB_OK;
}

// ---- 2.2  one product per sequence --------------------------------------------------------

// A product of so few terms takes less time than the start of a BLAS call. The heads of
// lab 6's model multiply (8,8) by (8,8). lab_small_product is the three loops of lab 1,
// four rows and eight columns at a time.
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
    float b_transposed[FEW_TERMS]; // (K, N): at most M N K numbers
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

// y (N, O) = x (N, I) w^T, where w (O, I) is small and x has many rows. Transposing w
// once and multiplying block by block is faster here than matmul_nt (fast/common/product.h
// explains why).
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

// Adds bias (O) to every row of y (N, O).
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
    // Check T first, because INT_MAX / T needs T > 0.
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

// A few rows, one pass after another. lab_max, lab_exp and lab_sum are plain loops that
// the compiler can run on 4 to 16 numbers at a time. With expf, a call for each number,
// the softmax took longer than the products.
LAB_WIDE
static void softmax_rows(float *restrict weights, const float *restrict scores, size_t N,
                         size_t S)
{
    for (size_t n = 0; n < N; n++) {
        const float max = lab_max(scores + n * S, S);
        // exp(-inf - -inf) would be NaN. A row without an allowed key gets weights 0.
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

// ---- 2.5  attention -----------------------------------------------------------------------

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
