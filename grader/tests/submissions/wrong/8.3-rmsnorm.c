// 8.3 rmsnorm
    for (size_t n = 0; n < N; n++) {
        const float *row = x + n * C;
        float sum = 0.0f;
        for (size_t c = 0; c < C; c++) {
            sum += row[c] * row[c];
        }
        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = row[c] * r * gain[c];
        }
        rrms[n] = r;
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t n = 0; n < N; n++) {

@ eps-as-a-floor
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf(fmaxf(sum / (float)C, RMSNORM_EPS));

@ eps-in-the-sum
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf((sum + RMSNORM_EPS) / (float)C);

@ C-minus-1
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf(sum / ((float)C - 1.0f) + RMSNORM_EPS);

@ C-outside-the-root
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / (sqrtf(sum + RMSNORM_EPS) / (float)C);

@ eps-1e-6
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf(sum / (float)C + 1e-6f);

@ eps-1e-8
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf(sum / (float)C + 1e-8f);

@ eps-outside
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / (sqrtf(sum / (float)C) + RMSNORM_EPS);

@ first-row
     for (size_t n = 0; n < N; n++) {
         const float *row = x + n * C;
         float sum = 0.0f;
         for (size_t c = 0; c < C; c++) {
-            sum += row[c] * row[c];
+            sum += x[c] * x[c];

@ gain-by-row
-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = row[c] * r * gain[n % C];

@ gain-plus-1
-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = row[c] * r * (1.0f + gain[c]);

@ layernorm
     for (size_t n = 0; n < N; n++) {
         const float *row = x + n * C;
         float sum = 0.0f;
+        float mean = 0.0f;
+        for (size_t c = 0; c < C; c++) {
+            mean += row[c] / (float)C;
+        }

-            sum += row[c] * row[c];
+            sum += (row[c] - mean) * (row[c] - mean);

-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = (row[c] - mean) * r * gain[c];

@ mean-subtracted
     for (size_t n = 0; n < N; n++) {
         const float *row = x + n * C;
         float sum = 0.0f;
+        float mean = 0.0f;
+        for (size_t c = 0; c < C; c++) {
+            mean += row[c] / (float)C;
+        }

-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = (row[c] - mean) * r * gain[c];

@ multiplied
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = sqrtf(sum / (float)C + RMSNORM_EPS);

@ no-eps
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf(sum / (float)C);

@ no-gain
+        (void)gain;
         const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);

-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = row[c] * r;

@ no-root
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / (sum / (float)C + RMSNORM_EPS);

@ over-rows
    for (size_t c = 0; c < C; c++) {
        float sum = 0.0f;
        for (size_t n = 0; n < N; n++) {
            sum += x[n * C + c] * x[n * C + c];
        }
        const float r = 1.0f / sqrtf(sum / (float)N + RMSNORM_EPS);
        for (size_t n = 0; n < N; n++) {
            y[n * C + c] = x[n * C + c] * r * gain[c];
            rrms[n] = r;
        }
    }
    return LAB_OK;

@ rms-stored
-        rrms[n] = r;
+        rrms[n] = 1.0f / r;

@ square-stored
-        rrms[n] = r;
+        rrms[n] = sum / (float)C;

@ sum-not-mean
-        const float r = 1.0f / sqrtf(sum / (float)C + RMSNORM_EPS);
+        const float r = 1.0f / sqrtf(sum + RMSNORM_EPS);

@ variance
     for (size_t n = 0; n < N; n++) {
         const float *row = x + n * C;
         float sum = 0.0f;
+        float mean = 0.0f;
+        for (size_t c = 0; c < C; c++) {
+            mean += row[c] / (float)C;
+        }

-            sum += row[c] * row[c];
+            sum += (row[c] - mean) * (row[c] - mean);

@ whole-tensor
    float sum = 0.0f;
    for (size_t i = 0; i < N * C; i++) {
        sum += x[i] * x[i];
    }
    const float r = 1.0f / sqrtf(sum / (float)(N * C) + RMSNORM_EPS);
    for (size_t i = 0; i < N * C; i++) {
        y[i] = x[i] * r * gain[i % C];
        rrms[i / C] = r;
    }
    return LAB_OK;

@ last-of-whole-vectors: none
-            sum += row[c] * row[c];
+            sum += c < (C - 1) / 64 * 64 + C % 64 ? row[c] * row[c] : 0.0f;

@ sum-not-reset
-    for (size_t n = 0; n < N; n++) {
-        const float *row = x + n * C;
-        float sum = 0.0f;
+    float sum = 0.0f;
+    for (size_t n = 0; n < N; n++) {
+        const float *row = x + n * C;

@ whole-sum
-        float sum = 0.0f;
+        int sum = 0;

@ sum-is-last
-            sum += row[c] * row[c];
+            sum = row[c] * row[c];

@ from-1
-        for (size_t c = 0; c < C; c++) {
-            sum += row[c] * row[c];
+        for (size_t c = 1; c < C; c++) {
+            sum += row[c] * row[c];

@ small-numbers-are-0: small-number
-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = fabsf(row[c]) < 1e-12f ? 0.0f : row[c] * r * gain[c];

@ at-most-100: none
-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = fmaxf(-100.0f, fminf(100.0f, row[c] * r * gain[c]));

@ first-4096-rows: none
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n < N && n < 4096; n++) {

@ first-4096-channels: none
-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = c < 4096 ? row[c] * r * gain[c] : 0.0f;

@ nan-hidden: none
-            y[n * C + c] = row[c] * r * gain[c];
+            y[n * C + c] = isnan(row[c] * r) ? 0.0f : row[c] * r * gain[c];
