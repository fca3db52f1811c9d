// bert.c - a layer of BERT, made fast.
//
// The plain form is solutions/11_reading_attention/bert.c. One loop differs: the norm. Nearly all of a
// layer's time goes into the matrix products of labs 2 and 4.
//   1  Sums in eight parts (11.4 post_norm). In a plain sum, each addition waits for the previous one.
//      lab_sum and lab_dot keep eight sums side by side. LAB_WIDE compiles the loops for each vector
//      width.
//
// BEGIN MEASURED: build/bench/ladder 11_reading_attention/bert.c (make bench DOCS=1)
// AMD EPYC; gcc 12.2; OpenBLAS core Cooperlake; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// post_norm, N=128, C=768
//     plain: sums in double, one after another                    175.2 us   1.00
//     1  eight sums in float, LAB_WIDE (this file)                 43.6 us   4.02
// END MEASURED
//
//   x ──┬──────────────(+)── norm ── middle ──┬───────────(+)── norm ──> out
//       └─ attention ───┘                     └─── mlp ────┘
//
// Start reading at post_norm.

#include "11_reading_attention/reading.h"

#include <math.h>

#include "fast/common/vector_math.h"

// ---- 11.4  post-norm ----------------------------------------------------------------------

LAB_WIDE static void norm_rows(float *restrict y, const float *restrict x,
                               const float *restrict branch, const float *restrict gain,
                               const float *restrict bias, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        float *y_n = y + n * C;
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x[n * C + c] + branch[n * C + c];
        }
        const float mean = lab_sum(y_n, C) / (float)C;
        for (size_t c = 0; c < C; c++) {
            y_n[c] -= mean;
        }
        const float rstd = 1.0f / sqrtf(lab_dot(y_n, y_n, C) / (float)C + BERT_EPS);
        for (size_t c = 0; c < C; c++) {
            y_n[c] = y_n[c] * rstd * gain[c] + bias[c];
        }
    }
}

lab_status post_norm(float *y, const float *x, const float *branch, const float *gain,
                     const float *bias, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    norm_rows(y, x, branch, gain, bias, N, C);
    return LAB_OK;
}

// ---- 11.4  the layer ----------------------------------------------------------------------

lab_status bert_layer(float *out, float *weights, const struct bert_buffers *buffers,
                      const float *x, const struct bert_params *params,
                      const uint8_t *mask, size_t B, size_t T, size_t C, size_t NH,
                      size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const struct bert_buffers *z = buffers;
    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,
                            mask, B, T, T, C, NH));
    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
                      B * T, C));
    LAB_TRY(
        mlp(z->projected, z->hidden, z->activated, z->middle, &params->mlp, B * T, C, H));
    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
                     B * T, C);
}
