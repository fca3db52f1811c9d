// layers.c - lab 8's layers, made fast.
//
// Read solutions/08_language_model/layers.c first: it is the plain form of the same mathematics.
// This file is faster for four reasons (the table below shows the gain from each):
//
//   1. loops as vectors    Every loop is LAB_WIDE (fast/common/vector_math.h): it is compiled for 16, 8
//                          and 4 floats at once, and chosen at program start.
//   2. sums as vectors     In a plain sum, each addition waits for the previous one. lab_dot and
//                          lab_sum keep eight sums side by side, in float (8.3).
//   3. no calls in loops   expf computes one number per call. lab_exp compiles to vectors (8.4).
//   4. row by row          The plain rope_backward computes an angle and uses it in all heads,
//                          whose rows are far apart in memory. This file computes all angles of
//                          a token first and then goes through neighboring pairs (8.5).
//
// BEGIN MEASURED: build/bench/ladder 08_language_model/layers.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// rmsnorm, N=256, C=96
//     plain: a sum in double, one after another                    18.1 us   1.00
//     2  eight sums in float                                       10.7 us   1.69
//     1  LAB_WIDE (this file)                                       4.8 us   3.81
//
// rmsnorm_backward, N=256, C=96
//     plain: a sum in double, one after another                    53.6 us   1.00
//     2  eight sums in float                                       18.1 us   2.96
//     1  LAB_WIDE (this file)                                       8.3 us   6.46
//
// swiglu, N=65536
//     plain: expf, a call for each number                         214.3 us   1.00
//     3  lab_exp: no call                                         108.9 us   1.97
//     1  LAB_WIDE (this file)                                      29.9 us   7.17
//
// swiglu_backward, N=65536
//     plain: expf, a call for each number                         273.9 us   1.00
//     3  lab_exp: no call                                         135.3 us   2.02
//     1  LAB_WIDE (this file)                                      42.2 us   6.49
//
// rope_backward, B=2, NH=6, T=256, hs=16
//     plain: an angle, then all heads                             106.5 us   1.00
//     4  angles of a token, then every head (this file)            39.5 us   2.70
// END MEASURED
//
// Start reading at rmsnorm.

#include "08_language_model/language_model.h"

#include <math.h>

#include "fast/common/vector_math.h"

// ---- 8.3  RMSNorm -------------------------------------------------------------------------

LAB_WIDE static void norm_rows(float *restrict y, float *restrict rrms,
                               const float *restrict x, const float *restrict gain,
                               size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        float *y_n = y + n * C;
        const float scale = 1.0f / sqrtf(lab_dot(x_n, x_n, C) / (float)C + RMSNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x_n[c] * scale * gain[c];
        }
        rrms[n] = scale;
    }
}

lab_status rmsnorm(float *y, float *rrms, const float *x, const float *gain, size_t N,
                   size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    norm_rows(y, rrms, x, gain, N, C);
    return LAB_OK;
}

LAB_WIDE static void norm_rows_backward(float *restrict dx, float *restrict dgain,
                                        const float *restrict dy, const float *restrict x,
                                        const float *restrict rrms,
                                        const float *restrict gain, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float *dx_n = dx + n * C;
        const float scale = rrms[n];

        // forward: y = norm gain
        for (size_t c = 0; c < C; c++) {
            dgain[c] += dy_n[c] * (x_n[c] * scale);
            dx_n[c] = dy_n[c] * gain[c]; // dnorm
        }
        // forward: norm = x rrms, where rrms depends on x too
        const float mean = lab_dot(dx_n, x_n, C) * scale / (float)C; // of dnorm norm
        for (size_t c = 0; c < C; c++) {
            dx_n[c] = scale * (dx_n[c] - x_n[c] * scale * mean);
        }
    }
}

lab_status rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
                            const float *rrms, const float *gain, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    norm_rows_backward(dx, dgain, dy, x, rrms, gain, N, C);
    return LAB_OK;
}

// ---- 8.4  SwiGLU --------------------------------------------------------------------------

LAB_WIDE static void gate_all(float *restrict y, const float *restrict a,
                              const float *restrict b, size_t N)
{
    for (size_t n = 0; n < N; n++) {
        const float s =
            1.0f / (1.0f + lab_exp(-a[n])); // 0 where the exponential is infinite
        y[n] = a[n] * s * b[n];
    }
}

lab_status swiglu(float *y, const float *a, const float *b, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    gate_all(y, a, b, N);
    return LAB_OK;
}

LAB_WIDE static void gate_all_backward(float *restrict da, float *restrict db,
                                       const float *restrict dy, const float *restrict a,
                                       const float *restrict b, size_t N)
{
    for (size_t n = 0; n < N; n++) {
        // forward: y = a s(a) b
        const float s = 1.0f / (1.0f + lab_exp(-a[n]));
        da[n] = dy[n] * b[n] * s * (1.0f + a[n] * (1.0f - s));
        db[n] = dy[n] * a[n] * s;
    }
}

lab_status swiglu_backward(float *da, float *db, const float *dy, const float *a,
                           const float *b, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    gate_all_backward(da, db, dy, a, b, N);
    return LAB_OK;
}

// ---- 8.5  RoPE ----------------------------------------------------------------------------

// The angles of up to this many pairs are kept on the stack; a wider head is done in several parts.
enum { PAIRS = 64 };

// Rotates one token back in every head, from dy to dx: the first `pairs` pairs there. There are
// `rows` heads, row_length floats apart.
static void turn_back(float *dx, const float *dy, const float *cosine, const float *sine,
                      size_t rows, size_t row_length, size_t pairs)
{
    for (size_t n = 0; n < rows; n++) {
        const float *dy_n = dy + n * row_length;
        float *dx_n = dx + n * row_length;
        for (size_t i = 0; i < pairs; i++) {
            const float first = dy_n[2 * i], second = dy_n[2 * i + 1];
            dx_n[2 * i] = first * cosine[i] + second * sine[i];
            dx_n[2 * i + 1] = second * cosine[i] - first * sine[i];
        }
    }
}

lab_status rope_backward(float *dx, const float *dy, const size_t *positions, size_t B,
                         size_t NH, size_t T, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    double frequency[PAIRS];
    float cosine[PAIRS], sine[PAIRS];
    for (size_t from = 0; from < hs / 2; from += PAIRS) {
        const size_t pairs = hs / 2 - from < PAIRS ? hs / 2 - from : PAIRS;
        for (size_t i = 0; i < pairs; i++) {
            frequency[i] = pow(10000.0, -2.0 * (double)(from + i) / (double)hs);
        }
        for (size_t t = 0; t < T; t++) {
            for (size_t i = 0; i < pairs; i++) {
                const double angle = (double)positions[t] * frequency[i];
                cosine[i] = (float)cos(angle);
                sine[i] = (float)sin(angle);
            }
            const size_t at = t * hs + 2 * from; // head h of sequence b: row b * NH + h
            turn_back(dx + at, dy + at, cosine, sine, B * NH, T * hs, pairs);
        }
    }
    return LAB_OK;
}
