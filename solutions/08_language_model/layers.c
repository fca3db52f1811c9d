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
    // BEGIN SOLUTION 8.3 rmsnorm: for each row the mean of its squares, in double, because a long
    // sum in float loses digits; then every channel (about 13 lines)
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        double squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            squares += (double)x_n[c] * x_n[c];
        }
        const float scale = (float)(1.0 / sqrt(squares / (double)C + RMSNORM_EPS));
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = x_n[c] * scale * gain[c];
        }
        rrms[n] = scale;
    }
    return LAB_OK;
    // END SOLUTION 8.3
}

lab_status rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
                            const float *rrms, const float *gain, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.3 rmsnorm_backward: for each row: dgain, and the mean of dnorm norm; then dx
    // of every channel (about 17 lines)
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;

        // forward: y = norm gain
        double mean = 0.0; // of dnorm norm
        for (size_t c = 0; c < C; c++) {
            const float norm = x_n[c] * rrms[n];
            dgain[c] += dy_n[c] * norm;
            mean += (double)dy_n[c] * gain[c] * norm;
        }
        mean /= (double)C;

        // forward: norm = x rrms, where rrms depends on x too
        for (size_t c = 0; c < C; c++) {
            const float norm = x_n[c] * rrms[n];
            dx[n * C + c] = (float)(rrms[n] * ((double)dy_n[c] * gain[c] - norm * mean));
        }
    }
    return LAB_OK;
    // END SOLUTION 8.3
}

// ---- 8.4  SwiGLU --------------------------------------------------------------------------

lab_status swiglu(float *y, const float *a, const float *b, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.4 swiglu: a times its sigmoid, times b (about 5 lines)
    for (size_t n = 0; n < N; n++) {
        const float s =
            1.0f / (1.0f + expf(-a[n])); // 0 where the exponential is infinite
        y[n] = a[n] * s * b[n];
    }
    return LAB_OK;
    // END SOLUTION 8.4
}

lab_status swiglu_backward(float *da, float *db, const float *dy, const float *a,
                           const float *b, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.4 swiglu_backward: the product rule, with sigmoid' = s (1 - s) (about 6
    // lines)
    for (size_t n = 0; n < N; n++) {
        // forward: y = a s(a) b
        const float s = 1.0f / (1.0f + expf(-a[n]));
        da[n] = dy[n] * b[n] * s * (1.0f + a[n] * (1.0f - s));
        db[n] = dy[n] * a[n] * s;
    }
    return LAB_OK;
    // END SOLUTION 8.4
}

// ---- 8.5  RoPE ----------------------------------------------------------------------------

lab_status rope_backward(float *dx, const float *dy, const size_t *positions, size_t B,
                         size_t NH, size_t T, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.5 rope_backward: as lab 7's rope, but rotate by the opposite angle: the sine
    // changes its sign (about 14 lines)
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < hs; c += 2) { // c is the 2i of the formula
            const double frequency = pow(10000.0, -(double)c / (double)hs);
            const double angle = (double)positions[t] * frequency;
            const float cosine = (float)cos(angle), sine = (float)sin(angle);
            for (size_t n = 0; n < B * NH; n++) { // head h of sequence b: n = b * NH + h
                const size_t i = (n * T + t) * hs + c;
                const float first = dy[i], second = dy[i + 1];
                dx[i] = first * cosine + second * sine;
                dx[i + 1] = second * cosine - first * sine;
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 8.5
}
