// 7.1 recurrence
#include "07_positional_encoding/positions.h"

#include <math.h>
#include <string.h>

#include "01_simple_attention/attention.h"

// Each pair turns more slowly than the one before it, by this factor.
static double slower(size_t width)
{
    return exp(-2.0 * log(1e4) / (double)width);
}

lab_status sinusoidal_encoding(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    const double factor = slower(C);
    double speed = 1.0;
    size_t pair = 0;
    while (2 * pair < C) {
        float *column = table + 2 * pair;
        for (size_t t = 0; t < T; t++, column += C) {
            column[0] = (float)sin(speed * (double)t);
            if (2 * pair + 1 != C) {
                column[1] = (float)cos(speed * (double)t);
            }
        }
        speed *= factor;
        pair++;
    }
    return LAB_OK;
}

lab_status add_positions(float *out, const float *x, const float *table, size_t B, size_t T, size_t C,
                         size_t T_max)
{
    if (B == 0 || T == 0 || C == 0 || T > T_max) {
        return LAB_ESHAPE;
    }
    const size_t sequence = T * C;
    for (size_t i = 0; i < B * sequence; i++) {
        out[i] = table[i % sequence] + x[i];
    }
    return LAB_OK;
}

// Turns one row of pairs.
static void turn(float *to, const float *from, double position, size_t hs)
{
    const double factor = slower(hs);
    double angle = position;
    for (size_t c = 0; c != hs; c += 2, angle *= factor) {
        const double real = cos(angle), imaginary = sin(angle);
        to[c] = (float)(real * (double)from[c] - imaginary * (double)from[c + 1]);
        to[c + 1] = (float)(imaginary * (double)from[c] + real * (double)from[c + 1]);
    }
}

lab_status rope(float *out, const float *x, const size_t *positions, size_t B, size_t NH, size_t T,
                size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        turn(out + row * hs, x + row * hs, (double)positions[row % T], hs);
    }
    return LAB_OK;
}

lab_status alibi_bias(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    memset(bias, 0, NH * T * S * sizeof *bias);
    double slope = 1.0;
    const double ratio = exp2(-8.0 / (double)NH);
    for (size_t head = 0; head < NH; head++) {
        slope *= ratio;
        for (size_t t = 0; t < T; t++, bias += S) {
            for (size_t s = 0; s + T < t + S && s < S; s++) {
                bias[s] = -(float)(slope * (double)(t + S - T - s));
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
    lab_status status = attention_scores(scores, x, x, T, T, C);
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;
}

@ inlined
-    for (size_t row = 0; row < B * NH * T; row++) {
-        turn(out + row * hs, x + row * hs, (double)positions[row % T], hs);
-    }
+    const double factor = slower(hs);
+    for (size_t row = 0; row < B * NH * T; row++) {
+        double angle = (double)positions[row % T];
+        for (size_t c = 0; c != hs; c += 2, angle *= factor) {
+            const size_t i = row * hs + c;
+            const double real = cos(angle), imaginary = sin(angle);
+            out[i] = (float)(real * (double)x[i] - imaginary * (double)x[i + 1]);
+            out[i + 1] = (float)(imaginary * (double)x[i] + real * (double)x[i + 1]);
+        }
+    }

-// Turns one row of pairs.
-static void turn(float *to, const float *from, double position, size_t hs)
-{
-    const double factor = slower(hs);
-    double angle = position;
-    for (size_t c = 0; c != hs; c += 2, angle *= factor) {
-        const double real = cos(angle), imaginary = sin(angle);
-        to[c] = (float)(real * (double)from[c] - imaginary * (double)from[c + 1]);
-        to[c + 1] = (float)(imaginary * (double)from[c] + real * (double)from[c + 1]);
-    }
-}
-
