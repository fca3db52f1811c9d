// gradients.c - the backward pass of every layer.
//
// Each function quotes its forward formula in a comment. All of them follow from two rules:
//
//   a product      y = a b:           da = dy b^T and db = a^T dy
//   used twice     y = f(x) + g(x):   dx is the sum of both gradients
//
// The matrix products are calls of BLAS and of lab 2; everything else is a plain loop.
//
// Source: Rumelhart, Hinton and Williams, Learning representations by back-propagating
// errors (1986). Start reading at linear_backward.

#include "06_copy_task/copy_task.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>

#include "02_batching/batching.h"

// BLAS takes sizes as int. Refuse a larger size, because the cast would wrap it silently.
static bool fits_blas(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 6.5  linear --------------------------------------------------------------------------

lab_status linear_backward(float *dx, float *dw, float *dbias, const float *dy,
                           const float *x, const float *w, size_t N, size_t I, size_t O)
{
    if (!fits_blas(N) || !fits_blas(I) || !fits_blas(O)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.5 linear_backward: two products, the second of which adds (beta is 1);
    // then add all rows of dy to dbias, if there is one (about 12 lines)
    const int n = (int)N, i = (int)I, o = (int)O;
    // forward: y (N,O) = x (N,I) w^T (I,O) + bias
    // dx (N,I) = dy (N,O) w (O,I)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, i, o, 1.0f, dy, o, w, i,
                0.0f, dx, i);
    // dw (O,I) += dy^T (O,N) x (N,I)
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o, i, n, 1.0f, dy, o, x, i, 1.0f,
                dw, i);
    // dbias (O) += the rows of dy, since every row of y contains the same bias
    if (dbias != NULL) {
        for (size_t row = 0; row < N; row++) {
            for (size_t column = 0; column < O; column++) {
                dbias[column] += dy[row * O + column];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 6.5
}

// ---- 6.6  softmax -------------------------------------------------------------------------

lab_status softmax_backward(float *dscores, const float *dweights, const float *weights,
                            size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.6 softmax_backward: for each row the weighted mean of dweights; then each
    // dweights minus this mean, times its weight (about 11 lines)
    //
    // forward: weights = e / sum e, where e = exp(scores)
    // d weights[i] / d scores[s] = weights[i] ([i == s] - weights[s])
    for (size_t n = 0; n < N; n++) {
        const float *dweights_n = dweights + n * S, *weights_n = weights + n * S;
        double mean = 0.0; // a weighted mean: the weights sum to 1
        for (size_t s = 0; s < S; s++) {
            mean += (double)dweights_n[s] * weights_n[s];
        }
        for (size_t s = 0; s < S; s++) {
            dscores[n * S + s] = (float)(weights_n[s] * (dweights_n[s] - mean));
        }
    }
    return LAB_OK;
    // END SOLUTION 6.6
}

// ---- 6.7  attention -----------------------------------------------------------------------

// BEGIN SOLUTION 6.7 helper
// out (M,N) = a^T (M,K) b (K,N): matmul of lab 2 with a transposed.
static void matmul_tn(float *out, const float *a, const float *b, size_t M, size_t N,
                      size_t K)
{
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1.0f, a, m, b, n, 0.0f,
                out, n);
}

// One head: each pointer points to that head's part.
static lab_status head_backward(float *dq, float *dk, float *dv, float *dweights,
                                float *dscores, const float *dout, const float *q,
                                const float *k, const float *v, const float *weights,
                                size_t T, size_t S, size_t hs)
{
    // forward: out (T,hs) = weights (T,S) v (S,hs)
    LAB_TRY(matmul_nt(dweights, dout, v, T, S, hs)); // dweights = dout v^T
    matmul_tn(dv, weights, dout, S, hs, T);          // dv = weights^T dout

    // forward: weights = softmax(scores)
    LAB_TRY(softmax_backward(dscores, dweights, weights, T, S));

    // forward: scores (T,S) = q (T,hs) k^T (hs,S) / sqrt(hs)
    for (size_t i = 0; i < T * S; i++) {
        dscores[i] /= sqrtf((float)hs); // now the gradient of q k^T
    }
    LAB_TRY(matmul(dq, dscores, k, T, hs, S)); // dq = dscores k
    matmul_tn(dk, dscores, q, S, hs, T);       // dk = dscores^T q
    return LAB_OK;
}
// END SOLUTION 6.7

lab_status attention_backward(float *dq, float *dk, float *dv, float *dweights,
                              float *dscores, const float *dout, const float *q,
                              const float *k, const float *v, const float *weights,
                              size_t B, size_t NH, size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.7 attention_backward: for each sequence and head: dweights and dv from
    // dout, softmax_backward, dq and dk from dscores over sqrt(hs); LAB_TRY around every call
    // (about 30 lines, two helpers are welcome)
    for (size_t i = 0; i < B * NH; i++) { // i = b * NH + h
        const size_t queries = i * T * hs, keys = i * S * hs, pairs = i * T * S;
        LAB_TRY(head_backward(dq + queries, dk + keys, dv + keys, dweights + pairs,
                              dscores + pairs, dout + queries, q + queries, k + keys,
                              v + keys, weights + pairs, T, S, hs));
    }
    return LAB_OK;
    // END SOLUTION 6.7
}

// ---- 6.8  layer norm ----------------------------------------------------------------------

lab_status layernorm_backward(float *dx, float *dgain, float *dbias, const float *dy,
                              const float *x, const float *mean, const float *rstd,
                              const float *gain, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.8 layernorm_backward: for each row, pass 1 adds to dgain and dbias and sums
    // dnorm and dnorm norm; pass 2 writes dx (about 20 lines)
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;

        // forward: y = norm gain + bias
        double dnorm_mean = 0.0, dnorm_norm_mean = 0.0;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * rstd[n];
            const float dnorm = dy_n[c] * gain[c];
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        dnorm_mean /= (double)C;
        dnorm_norm_mean /= (double)C;

        // forward: norm = (x - mean) rstd, where mean and rstd depend on x too. dx is rstd times
        //   dnorm                     through x itself
        //   - mean of dnorm           through mean, which every x moves alike
        //   - norm mean(dnorm norm)   through rstd, which x far from the mean moves most
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * rstd[n];
            const float dnorm = dy_n[c] * gain[c];
            dx[n * C + c] =
                (float)(rstd[n] * (dnorm - dnorm_mean - norm * dnorm_norm_mean));
        }
    }
    return LAB_OK;
    // END SOLUTION 6.8
}

// ---- 6.9  GELU ----------------------------------------------------------------------------

lab_status gelu_backward(float *dx, const float *dy, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.9 gelu_backward: the product rule on x cdf(x), with erff and expf from math.h
    // (about 6 lines)
    //
    // forward: y = x cdf(x), and the slope of cdf is pdf
    for (size_t i = 0; i < N; i++) {
        const float cdf = 0.5f * (1.0f + erff(x[i] * 0.70710678f)); // 1 / sqrt 2
        const float pdf = 0.39894228f * expf(-0.5f * x[i] * x[i]);  // 1 / sqrt(2 pi)
        dx[i] = dy[i] * (cdf + x[i] * pdf);
    }
    return LAB_OK;
    // END SOLUTION 6.9
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
    // BEGIN SOLUTION 6.10 embedding_backward: add row n to row tokens[n], which several n may share
    // (about 8 lines)
    //
    // forward: out[n] = table[tokens[n]]
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C;
        float *dtable_n = dtable + tokens[n] * C;
        for (size_t c = 0; c < C; c++) {
            dtable_n[c] += dy_n[c];
        }
    }
    return LAB_OK;
    // END SOLUTION 6.10
}
