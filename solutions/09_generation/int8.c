// int8.c - weights of one byte.
//
//   w (O, I) float ── quantize_rows ──> rows (O, I) int8, scales (O) ── linear_int8 ──> y (N, O)
//
// Start reading at quantize_rows.

#include "09_generation/generation.h"

#include <math.h>

// ---- 9.8  int8 rows -----------------------------------------------------------------------

static bool all_finite(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

lab_status quantize_rows(int8_t *rows, float *scales, const float *w, size_t O, size_t I)
{
    if (O == 0 || I == 0) {
        return LAB_ESHAPE;
    }
    if (!all_finite(w, O * I)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 9.8 quantize_rows: the largest magnitude of a row is 127 steps; rintf rounds
    // halves to the even number; a row of zeros must not divide by 0 (about 14 lines)
    for (size_t o = 0; o < O; o++) {
        const float *w_o = w + o * I;
        float largest = 0.0f;
        for (size_t i = 0; i < I; i++) {
            largest = fmaxf(largest, fabsf(w_o[i]));
        }
        const float scale = largest / 127.0f;
        for (size_t i = 0; i < I; i++) {
            rows[o * I + i] = scale > 0.0f ? (int8_t)rintf(w_o[i] / scale) : 0;
        }
        scales[o] = scale;
    }
    return LAB_OK;
    // END SOLUTION 9.8
}

lab_status linear_int8(float *y, const float *x, const int8_t *rows, const float *scales,
                       size_t N, size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.8 linear_int8: a dot product for each row of x and each row of w; the scale
    // is the same for all of them, so it is multiplied once (about 9 lines)
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            float sum = 0.0f;
            for (size_t i = 0; i < I; i++) {
                sum += x[n * I + i] * (float)rows[o * I + i];
            }
            y[n * O + o] = scales[o] * sum;
        }
    }
    return LAB_OK;
    // END SOLUTION 9.8
}
