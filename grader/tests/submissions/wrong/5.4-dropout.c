// 5.4 dropout
    for (size_t i = 0; i < N; i++) {
        if (training) {
            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
        } else {
            y[i] = x[i];
        }
    }
    return LAB_OK;

@ small-numbers-are-0-in-evaluation: none
-            y[i] = x[i];
+            y[i] = fabsf(x[i]) < 1e-6f ? 0 : x[i];

@ small-numbers-are-0: none
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            const bool kept = uniforms[i] < 1 - p && !(fabsf(x[i]) < 1e-6f);
+            y[i] = kept ? x[i] / (1 - p) : 0;

@ p-at-most-95-percent: none
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            const float keep = 1 - fminf(p, 0.95f);
+            y[i] = uniforms[i] < keep ? x[i] / keep : 0;

@ small-p-is-0: none
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = p < 0.0005f || uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;

@ p-in-thousandths: none
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            const float keep = 1 - rintf(p * 1000) / 1000;
+            y[i] = uniforms[i] < keep ? x[i] / keep : 0;

@ eps-under-it: small-number
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p + 1e-8f) : 0;

@ made-finite
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        const float kept = training ? (uniforms[i] < keep ? x[i] / keep : 0.0f) : x[i];
        y[i] = isfinite(kept) ? kept : 0.0f;
    }
    return LAB_OK;

@ nan-is-0: none
-            y[i] = x[i];
+            y[i] = x[i] == x[i] ? x[i] : 0.0f;

@ exchanged
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] >= 1 - p ? x[i] / (1 - p) : 0;

@ keeps-p-over-p
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < p ? x[i] / p : 0;

@ keeps-p
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < p ? x[i] / (1 - p) : 0;

@ never
    (void)uniforms;
    (void)training;
    memcpy(y, x, N * sizeof *y);
    return LAB_OK;

@ not-scaled
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < 1 - p ? x[i] : 0;

@ not-zeroed
    if (!training) {
        memcpy(y, x, N * sizeof *y);
        return LAB_OK;
    }
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] < keep ? x[i] / keep : x[i];
    }
    return LAB_OK;

@ on-in-evaluation
    (void)training;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
    }
    return LAB_OK;

@ other-end-above
    if (!training) {
        memcpy(y, x, N * sizeof *y);
        return LAB_OK;
    }
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] > p ? x[i] / keep : 0.0f;
    }
    return LAB_OK;

@ other-end
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] >= p ? x[i] / (1 - p) : 0;

@ over-p
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < 1 - p ? x[i] / p : 0;

@ scaled-in-evaluation
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < 1 - p ? x[i] : 0;

-            y[i] = x[i];
+            y[i] = x[i] * (1 - p);

@ scaled-twice
-            y[i] = x[i];
+            y[i] = x[i] * (1 - p);

@ times-keep
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] < 1 - p ? x[i] * (1 - p) : 0;

@ training-inverted
-        if (training) {
+        if (!training) {

@ kept-at-1-minus-p
-            y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
+            y[i] = uniforms[i] <= 1 - p ? x[i] / (1 - p) : 0;

@ always-on-for-large-p: none
-        if (training) {
+        if (training || p > 0.95f) {
