// 8.3 rmsnorm_backward
    for (size_t n = 0; n < N; n++) {
        const float *d = dy + n * C, *row = x + n * C;
        const float r = rrms[n];
        float mean = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = row[c] * r;
            mean += d[c] * gain[c] * norm / (float)C;
            dgain[c] += d[c] * norm;
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = row[c] * r;
            const float dnorm = d[c] * gain[c];
            dx[n * C + c] = r * (dnorm - norm * mean);
        }
    }
    return LAB_OK;

@ C-minus-1
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * gain[c] * norm / (float)(C > 1 ? C - 1 : 1);

@ dgain-assigned
-            dgain[c] += d[c] * norm;
+            dgain[c] = d[c] * norm;

@ dgain-mean
-            dgain[c] += d[c] * norm;
+            dgain[c] += d[c] * norm / (float)N;

@ dgain-of-dy
-            dgain[c] += d[c] * norm;
+            dgain[c] += d[c];

@ dgain-of-x
-            dgain[c] += d[c] * norm;
+            dgain[c] += d[c] * row[c];

@ dgain-overwritten
     for (size_t n = 0; n < N; n++) {
         const float *d = dy + n * C, *row = x + n * C;
+        for (size_t c = 0; n == 0 && c < C; c++) {
+            dgain[c] = 0.0f;
+        }

@ dgain-rrms-twice
-            dgain[c] += d[c] * norm;
+            dgain[c] += d[c] * norm * r;

@ dgain-subtracted
-            dgain[c] += d[c] * norm;
+            dgain[c] -= d[c] * norm;

@ dgain-with-gain
-            dgain[c] += d[c] * norm;
+            dgain[c] += d[c] * gain[c] * norm;

@ gain-outside
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * norm / (float)C;

-            const float dnorm = d[c] * gain[c];
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * (d[c] - norm * mean) * gain[c];

@ layernorm
         float mean = 0.0f;
+        float sum = 0.0f;
         for (size_t c = 0; c < C; c++) {
             const float norm = row[c] * r;
+            sum += d[c] * gain[c] / (float)C;

-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * (dnorm - sum - norm * mean);

@ mean-assigned
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean = d[c] * gain[c] * norm / (float)C;

@ no-dgain
-            dgain[c] += d[c] * norm;
+            (void)dgain;

@ no-gain
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * norm / (float)C;

-            const float dnorm = d[c] * gain[c];
+            const float dnorm = d[c];
+            (void)gain;

@ no-gain-in-mean
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * norm / (float)C;

@ no-gain-no-rrms
-            mean += d[c] * gain[c] * norm / (float)C;
-            dgain[c] += d[c] * norm;
+            mean += d[c] * norm / (float)C;
+            dgain[c] += d[c] * row[c];

-            const float dnorm = d[c] * gain[c];
+            const float dnorm = d[c];
+            (void)gain;

@ no-projection
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * dnorm;
+            (void)norm;

@ no-rrms
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = dnorm - norm * mean;

@ plus
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * (dnorm + norm * mean);

@ projection-alone
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = -r * norm * mean;
+            (void)dnorm;

@ rows-from-1
-            dgain[c] += d[c] * norm;
+            dgain[c] += n > 0 ? d[c] * norm : 0.0f;

@ rrms-squared
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * r * (dnorm - norm * mean);

@ sum-for-mean
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * gain[c] * norm;

@ x-for-both
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * gain[c] * row[c] / (float)C;

-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * (dnorm - row[c] * mean);

@ x-for-norm
-            mean += d[c] * gain[c] * norm / (float)C;
+            mean += d[c] * gain[c] * row[c] / (float)C;

@ dgain-over-gain
-            dgain[c] += d[c] * norm;
+            dgain[c] += d[c] * gain[c] * norm / gain[c];

@ gain-0-left-out: none
-            mean += d[c] * gain[c] * norm / (float)C;
-            dgain[c] += d[c] * norm;
+            if (gain[c] == 0.0f) {
+                continue;
+            }
+            mean += d[c] * gain[c] * norm / (float)C;
+            dgain[c] += d[c] * norm;

@ dy-0-left-out: none
-            const float dnorm = d[c] * gain[c];
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            const float dnorm = d[c] * gain[c];
+            dx[n * C + c] = dnorm == 0.0f ? 0.0f : r * (dnorm - norm * mean);

@ dnorm-outside: none
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = r * dnorm * (1.0f - norm * mean / dnorm);

@ small-gradients-left-out: no-dgain
-            dgain[c] += d[c] * norm;
+            dgain[c] += fabsf(d[c]) < 1e-6f ? 0.0f : d[c] * norm;

@ at-most-1000: none
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = fmaxf(-1000.0f, fminf(1000.0f, r * (dnorm - norm * mean)));

@ first-4096-rows: none
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n < N && n < 4096; n++) {

@ first-4096-channels: none
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = c < 4096 ? r * (dnorm - norm * mean) : 0.0f;

@ nan-hidden: none
-            dx[n * C + c] = r * (dnorm - norm * mean);
+            dx[n * C + c] = isnan(mean) || isnan(dnorm) ? 0.0f : r * (dnorm - norm * mean);
