// layers.c - the layers of lab 8's model that lab 6's model lacks, forward and backward.
//
//   rmsnorm   x (N,C) ─> y (N,C)       instead of layer norm
//   swiglu    a, b (N) ─> y (N)        instead of GELU
//   rope      forward in lab 7, its backward here
//
// Start reading at rmsnorm.

#include "08_language_model/language_model.h"

#include <math.h>

// ---- 8.3  RMSNorm -------------------------------------------------------------------------

lab_status rmsnorm(float *y, float *rrms, const float *x, const float *gain, size_t N,
                   size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.3: for each row the mean of its squares, in double, because a long sum in
    // float loses digits; then every channel (about 13 lines)
    return lab_todo(y, rrms, x, gain, N, C);
}

lab_status rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
                            const float *rrms, const float *gain, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.3: for each row: dgain, and the mean of dnorm norm; then dx of every channel
    // (about 17 lines)
    return lab_todo(dx, dgain, dy, x, rrms, gain, N, C);
}

// ---- 8.4  SwiGLU --------------------------------------------------------------------------

lab_status swiglu(float *y, const float *a, const float *b, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.4: a times its sigmoid, times b (about 5 lines)
    return lab_todo(y, a, b, N);
}

lab_status swiglu_backward(float *da, float *db, const float *dy, const float *a,
                           const float *b, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.4: the product rule, with sigmoid' = s (1 - s) (about 6 lines)
    return lab_todo(da, db, dy, a, b, N);
}

// ---- 8.5  RoPE ----------------------------------------------------------------------------

lab_status rope_backward(float *dx, const float *dy, const size_t *positions, size_t B,
                         size_t NH, size_t T, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.5: as lab 7's rope, but rotate by the opposite angle: the sine changes its
    // sign (about 14 lines)
    return lab_todo(dx, dy, positions, B, NH, T, hs);
}
