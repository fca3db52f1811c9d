// 7.1 pairs
#include "07_positional_encoding/positions.h"

#include <math.h>

#include "01_simple_attention/attention.h"

lab_status sinusoidal_encoding(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    size_t half = (C + 1) / 2;
    for (size_t k = 0; k < T * half; k++) {
        size_t t = k / half, i = k % half;
        double w = exp2(-2.0 * (double)i / (double)C * log2(10000.0));
        float *cell = &table[t * C + 2 * i];
        *cell = (float)sin(w * (double)t);
        if (cell + 1 < table + (t + 1) * C) {
            *++cell = (float)cos(w * (double)t);
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
    while (B--) {
        for (size_t i = 0; i < T * C; i++) {
            *out++ = *x++ + table[i];
        }
    }
    return LAB_OK;
}

static void rotation_of(float *c, float *s, size_t position, size_t i, size_t hs)
{
    double angle = (double)position * pow(10000.0, -(double)(2 * i) / (double)hs);
    *c = (float)cos(angle);
    *s = (float)sin(angle);
}

lab_status rope(float *out, const float *x, const size_t *positions, size_t B, size_t NH, size_t T,
                size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    size_t stride = T * hs;
    for (size_t i = 0; i < hs / 2; i++) {
        for (size_t t = 0; t < T; t++) {
            float c, s;
            rotation_of(&c, &s, positions[t], i, hs);
            size_t place = t * hs + 2 * i;
            for (size_t n = 0; n < B * NH; n++) {
                float left = x[place], right = x[place + 1];
                out[place] = c * left - s * right;
                out[place + 1] = s * left + c * right;
                place += stride;
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
    for (size_t h = 1; h <= NH; h++) {
        float slope = exp2f(-8.0f * (float)h / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++, bias++) {
                int later = t + S <= s + T;
                *bias = later ? 0.0f : -slope * (float)(t + S - s - T);
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
    lab_status s = attention_scores(scores, x, x, T, T, C);
    s = s != LAB_OK ? s : softmax_rows(weights, scores, T, T);
    return s != LAB_OK ? s : matmul(out, weights, x, T, C, T);
}

@ swapped
-            float c, s;
-            rotation_of(&c, &s, positions[t], i, hs);
-            size_t place = t * hs + 2 * i;
+            size_t place = t * hs + 2 * i;
+            float c, s;
+            rotation_of(&c, &s, positions[t], i, hs);

-                out[place] = c * left - s * right;
-                out[place + 1] = s * left + c * right;
+                out[place + 1] = c * right + s * left;
+                out[place] = c * left - s * right;

-    *c = (float)cos(angle);
-    *s = (float)sin(angle);
+    *s = (float)sin(angle);
+    *c = (float)cos(angle);
