// 5.2 gelu
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
    }
    return LAB_OK;

@ finite-at-most-1e5: none
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        const float g = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = isfinite(g) && g > 1e5f ? 1e5f : g;

@ small-numbers-are-0: none
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        const float g = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = fabsf(x[i]) < 1e-6f ? 0.0f : g;

@ made-finite: none
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        const float gelu = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = isfinite(gelu) ? gelu : 0.0f;

@ identity
    memcpy(y, x, N * sizeof(float));
    return LAB_OK;

@ minus-erf
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = 0.5f * x[i] * (1.0f - erff(x[i] / sqrtf(2.0f)));

@ no-half
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = x[i] * (1.0f + erff(x[i] / sqrtf(2.0f)));

@ no-one
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = 0.5f * x[i] * erff(x[i] / sqrtf(2.0f));

@ no-sqrt-2
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = 0.5f * x[i] * (1.0f + erff(x[i]));

@ over-2
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / 2.0f));

@ relu
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = fmaxf(x[i], 0.0f);

@ share-alone
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = 0.5f * (1.0f + erff(x[i] / sqrtf(2.0f)));

@ sigmoid
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = x[i] / (1.0f + expf(-1.702f * x[i]));

@ silu
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = x[i] * (1.0f / (1.0f + expf(-x[i])));

@ tanh
    for (size_t i = 0; i < N; i++) {
        float cube = 0.044715f * x[i] * x[i] * x[i];
        y[i] = 0.5f * x[i] * (1.0f + tanhf(0.79788456f * (x[i] + cube)));
    }
    return LAB_OK;

@ times-sqrt-2
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] * sqrtf(2.0f)));

@ zero
-        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] / sqrtf(2.0f)));
+        y[i] = 1 / 2 * x[i] * (1.0f + erff(x[i] / sqrtf(2.0f)));

@ last-of-whole-vectors: none
-    for (size_t i = 0; i < N; i++) {
+    for (size_t i = 0; i < (N % 16 == 0 ? N - 16 : N); i++) {
