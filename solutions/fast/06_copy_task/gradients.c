// gradients.c - the backward pass of every layer, made fast.
//
// Read solutions/06_copy_task/gradients.c first: it is the plain form of the same mathematics.
// This file is faster for five reasons (the table below says what each is worth):
//
//   1. loops as vectors    Loops without a BLAS call are LAB_WIDE (fast/common/vector_math.h): they
//                          are compiled for 16, 8 and 4 floats at once, and the program chooses
//                          a version when it starts.
//   2. sums as vectors     A compiler must add in the order written, one number at a time. lab_sum
//                          and lab_dot keep eight sums side by side (6.6, 6.8), in float.
//   3. no calls in loops   erff and expf compute one number per call. lab_normal computes cdf and
//                          pdf together, in a form that compiles to vectors (6.9).
//   4. products in blocks  OpenBLAS first copies the factors of a large product into another
//                          order. For blocks of rows below its limit it does not (6.5).
//   5. small products      A head of lab 6's model is (8,8) times (8,8), which takes less time
//                          than a BLAS call needs to start. lab_small_product uses loops. It reads
//                          its second factor row by row, so v is transposed first, into memory
//                          that is still free. Its factor 1/sqrt(hs) costs nothing extra (6.7).
//
// BEGIN MEASURED: build/bench/ladder 06_copy_task/gradients.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// linear_backward, N=256, I=32, O=128
//     plain: two products, the sum of all rows                     47.1 us   1.00
//     4  products in blocks                                        30.5 us   1.54
//     1  LAB_WIDE sums of rows (this file)                         29.7 us   1.58
//
// softmax_backward, N=128, S=128
//     plain: a sum in double, one after another                    18.8 us   1.00
//     1  LAB_WIDE                                                  25.6 us   0.74
//     2  eight sums in float (this file)                            3.2 us   5.94
//
// attention_backward, B=32, NH=4, T=8, S=8, hs=8
//     plain: BLAS                                                  51.8 us   1.00
//     2  BLAS, with softmax_backward of this file                  44.8 us   1.16
//     5  small products in registers (this file)                   24.5 us   2.12
//
// layernorm_backward, N=256, C=32
//     plain: sums in double, one after another                     20.9 us   1.00
//     2  eight sums in float, LAB_WIDE (this file)                  4.8 us   4.34
//
// gelu_backward, N=32768
//     plain: erff and expf, calls for each number                 398.3 us   1.00
//     3  lab_normal: no call, no branch                           374.8 us   1.06
//     1  LAB_WIDE (this file)                                      19.9 us  20.03
// END MEASURED
//
// Start reading at linear_backward.

#include "06_copy_task/copy_task.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>

#include "fast/common/product.h"
#include "fast/common/vector_math.h"

// BLAS takes sizes as int. Refuse a larger size, because the cast would wrap it silently.
static bool fits_blas(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 6.5  linear --------------------------------------------------------------------------

// sums (O) += the sum of all rows of dy (N, O)
LAB_WIDE static void add_rows(float *restrict sums, const float *restrict dy, size_t N,
                              size_t O)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            sums[o] += dy[n * O + o];
        }
    }
}

lab_status linear_backward(float *dx, float *dw, float *dbias, const float *dy,
                           const float *x, const float *w, size_t N, size_t I, size_t O)
{
    if (!fits_blas(N) || !fits_blas(I) || !fits_blas(O)) {
        return LAB_ESHAPE;
    }
    const int i = (int)I, o = (int)O;
    const size_t rows = lab_rows_of_a_block(N, I, O);
    for (size_t first = 0; first < N; first += rows) { // one block, for a large product
        const int n = (int)(rows < N - first ? rows : N - first);
        const float *dy_n = dy + first * O;
        // forward: y (N,O) = x (N,I) w^T (I,O) + bias
        // dx (N,I) = dy (N,O) w (O,I)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, i, o, 1.0f, dy_n, o, w,
                    i, 0.0f, dx + first * I, i);
        // dw (O,I) += dy^T (O,N) x (N,I)
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o, i, n, 1.0f, dy_n, o,
                    x + first * I, i, 1.0f, dw, i);
    }
    // every row of y contains the same bias
    if (dbias != NULL) {
        add_rows(dbias, dy, N, O);
    }
    return LAB_OK;
}

// ---- 6.6  softmax -------------------------------------------------------------------------

LAB_WIDE static void softmax_rows_backward(float *restrict dscores,
                                           const float *restrict dweights,
                                           const float *restrict weights, size_t N,
                                           size_t S)
{
    // forward: weights = e / sum e, where e = exp(scores)
    // d weights[i] / d scores[s] = weights[i] ([i == s] - weights[s])
    for (size_t n = 0; n < N; n++) {
        const float *dweights_n = dweights + n * S;
        const float *weights_n = weights + n * S;
        float *dscores_n = dscores + n * S;
        const float mean = lab_dot(dweights_n, weights_n, S); // the weights sum to 1
        for (size_t s = 0; s < S; s++) {
            dscores_n[s] = weights_n[s] * (dweights_n[s] - mean);
        }
    }
}

lab_status softmax_backward(float *dscores, const float *dweights, const float *weights,
                            size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    softmax_rows_backward(dscores, dweights, weights, N, S);
    return LAB_OK;
}

// ---- 6.7  attention -----------------------------------------------------------------------

// Back through out = weights v, for one head. v_transposed (hs, S) is a workspace.
LAB_WIDE static void values_backward(float *dweights, float *dv, float *v_transposed,
                                     const float *dout, const float *v,
                                     const float *weights, size_t T, size_t S, size_t hs)
{
    for (size_t s = 0; s < S; s++) {
        for (size_t c = 0; c < hs; c++) {
            v_transposed[c * S + s] = v[s * hs + c];
        }
    }
    // forward: out (T,hs) = weights (T,S) v (S,hs)
    // dweights (T,S) = dout (T,hs) v^T (hs,S)    dv (S,hs) = weights^T (S,T) dout (T,hs)
    lab_small_product(dweights, 1.0f, dout, hs, 1, v_transposed, T, S, hs);
    lab_small_product(dv, 1.0f, weights, 1, S, dout, S, hs, T);
}

// Back through scores = scale q k^T, for one head.
LAB_WIDE static void scores_backward(float *dq, float *dk, const float *dscores,
                                     const float *q, const float *k, float scale,
                                     size_t T, size_t S, size_t hs)
{
    // forward: scores (T,S) = scale q (T,hs) k^T (hs,S)
    // dq (T,hs) = scale dscores (T,S) k (S,hs)    dk (S,hs) = scale dscores^T (S,T) q (T,hs)
    lab_small_product(dq, scale, dscores, S, 1, k, T, hs, S);
    lab_small_product(dk, scale, dscores, 1, S, q, S, hs, T);
}

lab_status attention_backward(float *dq, float *dk, float *dv, float *dweights,
                              float *dscores, const float *dout, const float *q,
                              const float *k, const float *v, const float *weights,
                              size_t B, size_t NH, size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH; i++) { // i = b * NH + h
        const size_t queries = i * T * hs, keys = i * S * hs, pairs = i * T * S;
        // dk is written last, so its memory is free for the transposed values until then.
        values_backward(dweights + pairs, dv + keys, dk + keys, dout + queries, v + keys,
                        weights + pairs, T, S, hs);
        // forward: weights = softmax(scores)
        lab_status status =
            softmax_backward(dscores + pairs, dweights + pairs, weights + pairs, T, S);
        if (status != LAB_OK) {
            return status;
        }
        scores_backward(dq + queries, dk + keys, dscores + pairs, q + queries, k + keys,
                        scale, T, S, hs);
    }
    return LAB_OK;
}

// ---- 6.8  layer norm ----------------------------------------------------------------------

LAB_WIDE static void
layernorm_rows_backward(float *restrict dx, float *restrict dgain, float *restrict dbias,
                        const float *restrict dy, const float *restrict x,
                        const float *restrict mean, const float *restrict rstd,
                        const float *restrict gain, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float *dx_n = dx + n * C;
        const float m = mean[n], r = rstd[n];

        // forward: y = norm gain + bias
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - m) * r;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
            dx_n[c] = dy_n[c] * gain[c] * norm; // dnorm norm, to be summed
        }

        // forward: norm = (x - mean) rstd, where mean and rstd depend on x too. dx is rstd times
        //   dnorm                     through x itself
        //   - mean of dnorm           through mean, which every x moves alike
        //   - norm mean(dnorm norm)   through rstd, which x far from the mean moves most
        const float dnorm_mean = lab_dot(dy_n, gain, C) / (float)C;
        const float dnorm_norm_mean = lab_sum(dx_n, C) / (float)C;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - m) * r;
            dx_n[c] = r * (dy_n[c] * gain[c] - dnorm_mean - norm * dnorm_norm_mean);
        }
    }
}

lab_status layernorm_backward(float *dx, float *dgain, float *dbias, const float *dy,
                              const float *x, const float *mean, const float *rstd,
                              const float *gain, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    layernorm_rows_backward(dx, dgain, dbias, dy, x, mean, rstd, gain, N, C);
    return LAB_OK;
}

// ---- 6.9  GELU ----------------------------------------------------------------------------

LAB_WIDE static void gelu_slopes(float *dx, const float *dy, const float *x, size_t N)
{
    // forward: y = x cdf(x), and the slope of cdf is pdf
    for (size_t i = 0; i < N; i++) {
        const struct lab_normal normal = lab_normal(x[i]);
        dx[i] = dy[i] * (normal.cdf + x[i] * normal.pdf);
    }
}

lab_status gelu_backward(float *dx, const float *dy, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    gelu_slopes(dx, dy, x, N);
    return LAB_OK;
}

// ---- 6.10  embedding ----------------------------------------------------------------------

lab_status embedding_backward(float *dtable, const float *dy, const size_t *tokens,
                              size_t N, size_t C, size_t V)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C;
        float *dtable_n = dtable + tokens[n] * C;
        for (size_t c = 0; c < C; c++) {
            dtable_n[c] += dy_n[c];
        }
    }
    return LAB_OK;
}
