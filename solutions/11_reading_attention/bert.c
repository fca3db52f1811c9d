// bert.c - one layer of BERT.
//
//   x ──┬──────────────(+)── norm ── middle ──┬───────────(+)── norm ──> out
//       └─ attention ───┘                     └─── mlp ────┘
// The norms come after the additions: post-norm. Lab 5's block is pre-norm. Start reading at
// post_norm.

#include "11_reading_attention/reading.h"

#include <math.h>

// ---- 11.4  post-norm ----------------------------------------------------------------------

lab_status post_norm(float *y, const float *x, const float *branch, const float *gain,
                     const float *bias, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.4 post_norm: for each row: the sum of x and branch; its mean; its variance;
    // then every channel (about 18 lines)
    for (size_t n = 0; n < N; n++) {
        float *y_n = y + n * C;
        double sum = 0.0;
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x[n * C + c] + branch[n * C + c];
            sum += y_n[c];
        }
        const float mean = (float)(sum / (double)C);

        double squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double distance = y_n[c] - mean;
            squares += distance * distance;
        }
        const float rstd = (float)(1.0 / sqrt(squares / (double)C + (double)BERT_EPS));

        for (size_t c = 0; c < C; c++) {
            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
        }
    }
    return LAB_OK;
    // END SOLUTION 11.4
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
    // BEGIN SOLUTION 11.4 bert_layer: attention of x with x as its memory; post_norm; mlp; post_norm
    // (about 9 lines)
    const struct bert_buffers *z = buffers;
    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,
                            mask, B, T, T, C, NH));
    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
                      B * T, C));
    LAB_TRY(
        mlp(z->projected, z->hidden, z->activated, z->middle, &params->mlp, B * T, C, H));
    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
                     B * T, C);
    // END SOLUTION 11.4
}
