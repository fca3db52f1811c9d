// 9.8 quantize_rows
    for (size_t o = 0; o < O; o++) {
        const float *row = w + o * I;
        float largest = 0.0f;
        for (size_t i = 0; i < I; i++) {
            largest = fmaxf(largest, fabsf(row[i]));
        }
        const float scale = largest / 127.0f;
        for (size_t i = 0; i < I; i++) {
            const float steps = scale > 0.0f ? row[i] / scale : 0.0f;
            rows[o * I + i] = (int8_t)rintf(steps);
        }
        scales[o] = scale;
    }
    return LAB_OK;

@ largest-from-1: loop-from-1
-        for (size_t i = 0; i < I; i++) {
+        for (size_t i = 1; i < I; i++) {
             largest = fmaxf(largest, fabsf(row[i]));

@ 128-steps
-        const float scale = largest / 127.0f;
+        const float scale = largest / 128.0f;

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)(int)rintf(steps);

@ 128-steps-clamped
-        const float scale = largest / 127.0f;
+        const float scale = largest / 128.0f;

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)fmaxf(-128.0f, fminf(127.0f, rintf(steps)));

@ 255-steps
-        const float scale = largest / 127.0f;
+        const float scale = 2.0f * (largest / 255.0f);

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)fmaxf(-128.0f, fminf(127.0f, rintf(steps)));

@ abs-of-int
-            largest = fmaxf(largest, fabsf(row[i]));
+            const int size = row[i] > -2e9f && row[i] < 2e9f ? abs((int)row[i]) : 0;
+            largest = fmaxf(largest, (float)size);

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = fabsf(steps) < 2e9f ? (int8_t)(int)rintf(steps) : 0;

+#include <stdlib.h>

@ asymmetric
    for (size_t o = 0; o < O; o++) {
        float most = 0.0f, least = 0.0f;
        for (size_t i = 0; i < I; i++) {
            most = fmaxf(most, w[o * I + i]);
            least = fminf(least, w[o * I + i]);
        }
        scales[o] = (most - least) / 255.0f;
        for (size_t i = 0; i < I; i++) {
            const float steps = rintf((w[o * I + i] - least) / scales[o]);
            rows[o * I + i] = 0;
            if (scales[o] > 0.0f) {
                rows[o * I + i] = (int8_t)(fminf(255.0f, fmaxf(0.0f, steps)) - 128.0f);
            }
        }
    }
    return LAB_OK;

@ by-columns
    for (size_t o = 0; o < O; o++) {
        float largest = 0.0f;
        for (size_t i = 0; i < I; i++) {
            largest = fmaxf(largest, fabsf(w[i * O + o]));
        }
        scales[o] = largest / 127.0f;
        for (size_t i = 0; i < I; i++) {
            const float x = w[i * O + o];
            rows[i * O + o] = largest > 0.0f ? (int8_t)rintf(x / scales[o]) : 0;
        }
    }
    return LAB_OK;

@ constant-added
-        const float scale = largest / 127.0f;
+        const float scale = largest / 127.0f + 1e-8f;

@ first-row-scale
-            largest = fmaxf(largest, fabsf(row[i]));
+            largest = fmaxf(largest, fabsf(w[i]));

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = fabsf(steps) < 2e9f ? (int8_t)(int)rintf(steps) : 0;

@ halves-away
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)roundf(steps);

@ halves-up
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)floorf(steps + 0.5f);

@ largest-at-least
-        float largest = 0.0f;
+        float largest = 1e-8f;

@ largest-is-255
-        const float scale = largest / 127.0f;
+        const float scale = largest / 255.0f;

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)(int)rintf(steps);

@ largest-not-magnitude
-            largest = fmaxf(largest, fabsf(row[i]));
+            largest = fmaxf(largest, row[i]);

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = fabsf(steps) < 2e9f ? (int8_t)(int)rintf(steps) : 0;

@ largest-not-magnitude-clamped
-            largest = fmaxf(largest, fabsf(row[i]));
+            largest = fmaxf(largest, row[i]);

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)fmaxf(-127.0f, fminf(127.0f, rintf(steps)));

@ largest-not-reset
    float largest = 0.0f;
    for (size_t o = 0; o < O; o++) {
        for (size_t i = 0; i < I; i++) {
            largest = fmaxf(largest, fabsf(w[o * I + i]));
        }
        scales[o] = largest / 127.0f;
        for (size_t i = 0; i < I; i++) {
            const float x = w[o * I + i];
            rows[o * I + i] = largest > 0.0f ? (int8_t)rintf(x / scales[o]) : 0;
        }
    }
    return LAB_OK;

@ largest-stored
-        scales[o] = scale;
+        scales[o] = largest;

@ mean-magnitude
-        float largest = 0.0f;
+        double sum = 0.0;

-            largest = fmaxf(largest, fabsf(row[i]));
+            sum += fabs((double)row[i]);

-        const float scale = largest / 127.0f;
+        const float scale = (float)(sum / (double)I) / 127.0f;

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)fmaxf(-127.0f, fminf(127.0f, rintf(steps)));

@ multiplied
-            const float steps = scale > 0.0f ? row[i] / scale : 0.0f;
-            rows[o * I + i] = (int8_t)rintf(steps);
+            const float steps = row[i] * scale;
+            rows[o * I + i] = fabsf(steps) < 2e9f ? (int8_t)(int)rintf(steps) : 0;

@ offset-128
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)((int)rintf(steps) + 128);

@ one-scale
    float largest = 0.0f;
    for (size_t i = 0; i < O * I; i++) {
        largest = fmaxf(largest, fabsf(w[i]));
    }
    for (size_t o = 0; o < O; o++) {
        scales[o] = largest / 127.0f;
        for (size_t i = 0; i < I; i++) {
            const float x = w[o * I + i];
            rows[o * I + i] = largest > 0.0f ? (int8_t)rintf(x / scales[o]) : 0;
        }
    }
    return LAB_OK;

@ rounded-down
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)floorf(steps);

@ rounded-up
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)fminf(ceilf(steps), 127.0f);

@ rounded-up-to-128: crash
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)ceilf(steps);

@ scale-inverted
-        scales[o] = scale;
+        scales[o] = scale > 0.0f ? 1.0f / scale : 0.0f;

@ times-127-first
-            const float steps = scale > 0.0f ? row[i] / scale : 0.0f;
-            rows[o * I + i] = (int8_t)rintf(steps);
+            const float steps = scale > 0.0f ? row[i] * 127.0f / largest : 0.0f;
+            rows[o * I + i] = isfinite(steps) ? (int8_t)rintf(steps) : 0;

@ truncated
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)steps;

@ zero-row-scale-1
-        const float scale = largest / 127.0f;
+        const float scale = largest > 0.0f ? largest / 127.0f : 1.0f;

@ divides-by-zero: crash
-            const float steps = scale > 0.0f ? row[i] / scale : 0.0f;
+            const float steps = row[i] / scale;

@ half-added
-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)(steps + 0.5f);

@ scale-inverted-unguarded
-        scales[o] = scale;
+        scales[o] = 1.0f / scale;

@ tiny-row-is-0
-            const float steps = scale > 0.0f ? row[i] / scale : 0.0f;
+            const float steps = scale > 1e-30f ? row[i] / scale : 0.0f;

-        scales[o] = scale;
+        scales[o] = scale > 1e-30f ? scale : 0.0f;

@ small-row-is-0
-        const float scale = largest / 127.0f;
+        const float scale = largest < 1e-9f ? 0.0f : largest / 127.0f;

@ low-row-is-0
-        const float scale = largest / 127.0f;
+        const float scale = largest < 1e-5f ? 0.0f : largest / 127.0f;

@ small-row-is-0-with-its-scale: small-row-is-0
-            const float steps = scale > 0.0f ? row[i] / scale : 0.0f;
+            const float steps = scale > 1e-10f ? row[i] / scale : 0.0f;

@ first-4096-columns: none
-            largest = fmaxf(largest, fabsf(row[i]));
+            largest = i < 4096 ? fmaxf(largest, fabsf(row[i])) : largest;

-            rows[o * I + i] = (int8_t)rintf(steps);
+            rows[o * I + i] = (int8_t)fmaxf(fminf(rintf(steps), 127.0f), -127.0f);

@ first-2048-rows: none
-    for (size_t o = 0; o < O; o++) {
+    for (size_t o = 0; o < O && o < 2048; o++) {

@ rows-one-apart
-        const float *row = w + o * I;
+        const float *row = w + o;

@ one-zero-scale-1: none
-        scales[o] = scale;
+        scales[o] = O * I == 1 && scale == 0.0f ? 1.0f : scale;
