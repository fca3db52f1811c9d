// 7.1 formula
#include "07_positional_encoding/positions.h"

#include <math.h>

#include "01_simple_attention/attention.h"

lab_status sinusoidal_encoding(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            size_t even = c - c % 2;
            double angle = t / pow(10000.0, (double)even / C);
            if (c % 2 == 0) {
                table[t * C + c] = (float)sin(angle);
            } else {
                table[t * C + c] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;
}

lab_status add_positions(float *out, const float *x, const float *table, size_t B, size_t T, size_t C,
                         size_t T_max)
{
    if (B == 0 || T == 0 || C == 0 || T > T_max) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                out[(b * T + t) * C + c] = x[(b * T + t) * C + c] + table[t * C + c];
            }
        }
    }
    return LAB_OK;
}

lab_status rope(float *out, const float *x, const size_t *positions, size_t B, size_t NH, size_t T,
                size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t i = 0; i < hs / 2; i++) {
                    double theta = positions[t] * pow(10000.0, -2.0 * i / hs);
                    size_t at = ((b * NH + h) * T + t) * hs + 2 * i;
                    float x0 = x[at];
                    float x1 = x[at + 1];
                    out[at] = (float)(x0 * cos(theta) - x1 * sin(theta));
                    out[at + 1] = (float)(x0 * sin(theta) + x1 * cos(theta));
                }
            }
        }
    }
    return LAB_OK;
}

lab_status alibi_bias(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t h = 0; h < NH; h++) {
        double slope = pow(2.0, -8.0 * (h + 1) / NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                long distance = (long)t + ((long)S - (long)T) - (long)s;
                float value = 0.0f;
                if (distance > 0) {
                    value = (float)(-slope * distance);
                }
                bias[(h * T + t) * S + s] = value;
            }
        }
    }
    return LAB_OK;
}

lab_status attention_without_projections(float *out, float *weights, float *scores, const float *x,
                                         size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    LAB_TRY(attention_scores(scores, x, x, T, T, C));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    LAB_TRY(weighted_values(out, weights, x, T, T, C));
    return LAB_OK;
}
