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
    // TODO 6.5: two products, the second of which adds (beta is 1); then add all rows of
    // dy to dbias, if there is one (about 12 lines)
    return lab_todo(dx, dw, dbias, dy, x, w, N, I, O);
}

// ---- 6.6  softmax -------------------------------------------------------------------------

lab_status softmax_backward(float *dscores, const float *dweights, const float *weights,
                            size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.6: for each row the weighted mean of dweights; then each dweights minus this
    // mean, times its weight (about 11 lines)
    return lab_todo(dscores, dweights, weights, N, S);
}

// ---- 6.7  attention -----------------------------------------------------------------------

lab_status attention_backward(float *dq, float *dk, float *dv, float *dweights,
                              float *dscores, const float *dout, const float *q,
                              const float *k, const float *v, const float *weights,
                              size_t B, size_t NH, size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.7: for each sequence and head: dweights and dv from dout, softmax_backward,
    // dq and dk from dscores over sqrt(hs); LAB_TRY around every call (about 30 lines,
    // two helpers are welcome)
    return lab_todo(dq, dk, dv, dweights, dscores, dout, q, k, v, weights, B, NH, T, S,
                    hs);
}

// ---- 6.8  layer norm ----------------------------------------------------------------------

lab_status layernorm_backward(float *dx, float *dgain, float *dbias, const float *dy,
                              const float *x, const float *mean, const float *rstd,
                              const float *gain, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.8: for each row, pass 1 adds to dgain and dbias and sums dnorm and dnorm
    // norm; pass 2 writes dx (about 20 lines)
    return lab_todo(dx, dgain, dbias, dy, x, mean, rstd, gain, N, C);
}

// ---- 6.9  GELU ----------------------------------------------------------------------------

lab_status gelu_backward(float *dx, const float *dy, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.9: the product rule on x cdf(x), with erff and expf from math.h (about 6
    // lines)
    return lab_todo(dx, dy, x, N);
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
    // TODO 6.10: add row n to row tokens[n], which several n may share (about 8 lines)
    return lab_todo(dtable, dy, tokens, N, C, V);
}
