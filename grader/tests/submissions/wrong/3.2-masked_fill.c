// 3.2 masked_fill
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            out[i] = mask[i] ? scores[i] : -INFINITY;
        }
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t n = 0; n < N; n++) {

@ S-in-16-bits: none
+    S = (unsigned short)S;
     for (size_t n = 0; n < N; n++) {

@ mask-of-row-0
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[s] ? scores[i] : -INFINITY;

@ at-most-1e31: none
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] ? fminf(scores[i], 1e31f) : -INFINITY;

@ infinite-is-forbidden: none
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] && isfinite(scores[i]) ? scores[i] : -INFINITY;

@ added-minus-infinity
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = scores[i] + (mask[i] ? 0.0f : -INFINITY);

@ added
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = scores[i] + mask[i];

@ infinity-times-zero
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            float forbidden = mask[i] == 0;
+            out[i] = scores[i] - forbidden * INFINITY;

@ inverted
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] == 1 ? -INFINITY : scores[i];

@ minus-10000
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] == 1 ? scores[i] : -1e4f;

@ minus-1e9
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] == 0 ? -1e9 : scores[i];

@ flt-max
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] ? scores[i] : -3.402823466e+38f;

@ multiplied
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] * scores[i];

@ plus-infinity
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] == 0 ? INFINITY : scores[i];

@ zero
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = 0.0f;
+            if (mask[i]) {
+                out[i] = scores[i];
+            }

@ zero-is-forbidden: none
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] && scores[i] != 0.0f ? scores[i] : -INFINITY;

@ zero-stays: none
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] || scores[i] == 0.0f ? scores[i] : -INFINITY;

@ mask-compared-with-255: none-allowed
-            out[i] = mask[i] ? scores[i] : -INFINITY;
+            out[i] = mask[i] == 255 ? scores[i] : -INFINITY;
