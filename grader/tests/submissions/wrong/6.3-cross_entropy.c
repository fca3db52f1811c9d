// 6.3 cross_entropy
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *row = logits + n * V;
        float max = row[0];
        for (size_t i = 1; i < V; i++) {
            max = fmaxf(max, row[i]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            sum += expf(row[i] - max);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(row[i] - max) / (float)sum;
        }
        total += logf((float)sum) - (row[targets[n]] - max);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;

@ maximum-start
-        float max = row[0];
-        for (size_t i = 1; i < V; i++) {
+        float max = -99.0f;
+        for (size_t i = 0; i < V; i++) {

@ in-16-bits
-        total += logf((float)sum) - (row[targets[n]] - max);
+        total += logf((float)sum) - (row[(unsigned short)targets[n]] - max);

@ max-from-minus-1e9
-        float max = row[0];
-        for (size_t i = 1; i < V; i++) {
+        float max = -3e38f;
+        for (size_t i = 0; i < V; i++) {

@ max-from-nearly-flt-max: max-from-minus-1e9
-        float max = row[0];
-        for (size_t i = 1; i < V; i++) {
+        float max = -3.402823e38f;
+        for (size_t i = 0; i < V; i++) {

@ max-of-row-0
-        float max = row[0];
-        for (size_t i = 1; i < V; i++) {
+        float max = logits[0];
+        for (size_t i = 0; i < V; i++) {

@ sum-not-reset
+    double sum = 0.0;
     for (size_t n = 0; n < N; n++) {

-        float sum = 0.0f;

@ logit-of-row-0
-        total += logf((float)sum) - (row[targets[n]] - max);
+        total += logf((float)sum) - (logits[targets[n]] - max);

@ int-sum
-        float sum = 0.0f;
+        int sum = 0;

@ nan-hidden
-    *loss = (float)(total / (double)N);
+    *loss = isfinite(total) ? (float)(total / (double)N) : 0.0f;

@ no-max-in-double
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *row = logits + n * V;
        double sum = 0.0;
        for (size_t i = 0; i < V; i++) {
            sum += exp(row[i]);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = (float)(exp(row[i]) / sum);
        }
        total += log(sum) - row[targets[n]];
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;

@ no-max-log-of-probability
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(logits[n * V + i]);
            sum += probabilities[n * V + i];
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] /= sum;
        }
        total -= logf(probabilities[n * V + targets[n]]);
    }
    *loss = total / (float)N;
    return LAB_OK;

@ no-max
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(logits[n * V + i]);
            sum += probabilities[n * V + i];
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] /= sum;
        }
        total += logf(sum) - logits[n * V + targets[n]];
    }
    *loss = total / (float)N;
    return LAB_OK;

@ rows-from-1
-        total += logf((float)sum) - (row[targets[n]] - max);
+        total += n == 0 ? 0.0f : logf((float)sum) - (row[targets[n]] - max);

@ shifted-beyond-100: no-max
-        float sum = 0.0f;
+        max = fabsf(max) > 100.0f ? max : 0.0f;
+        float sum = 0.0f;

@ sum-from-1
-        for (size_t i = 0; i < V; i++) {
+        for (size_t i = 1; i < V; i++) {
             sum += expf(row[i] - max);

@ sum-is-last
-            sum += expf(row[i] - max);
+            sum = expf(row[i] - max);

@ small-probabilities-are-0: none
-            probabilities[n * V + i] = expf(row[i] - max) / (float)sum;
+            probabilities[n * V + i] = row[i] - max < -30.0f ? 0.0f : expf(row[i] - max) / (float)sum;

@ maximum-lost
-        total += logf((float)sum) - (row[targets[n]] - max);
+        total += logf((float)sum) - row[targets[n]];

@ maximum-subtracted
-        total += logf((float)sum) - (row[targets[n]] - max);
+        total += logf((float)sum) - row[targets[n]] - max;

@ powers-of-2: other-base
-            sum += expf(row[i] - max);
+            sum += exp2f(row[i] - max);

-            probabilities[n * V + i] = expf(row[i] - max) / (float)sum;
+            probabilities[n * V + i] = exp2f(row[i] - max) / (float)sum;

@ decimal-logarithm: other-base
-        total += logf((float)sum) - (row[targets[n]] - max);
+        total += log10f((float)sum) - (row[targets[n]] - max);

@ right-in-floats
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        const float *x = logits + n * V;
        float *p = probabilities + n * V;
        float max = x[0];
        for (size_t i = 0; i < V; i++) {
            max = fmaxf(max, x[i]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(x[i] - max);
            sum += p[i];
        }
        for (size_t i = 0; i < V; i++) {
            p[i] /= sum;
        }
        total += logf(sum) - (x[targets[n]] - max);
    }
    *loss = total / (float)N;
    return LAB_OK;

@ base-2
-        total += logf(sum) - (x[targets[n]] - max);
+        total += log2f(sum) - (x[targets[n]] - max) / 0.69314718f;

@ clamped
-        total += logf(sum) - (x[targets[n]] - max);
+        total -= logf(p[targets[n]] + 1e-10f);

@ divided-by-N-1
-    *loss = total / (float)N;
+    *loss = total / ((float)N - 1.0f);

@ divided-by-NV
-    *loss = total / (float)N;
+    *loss = total / (float)(N * V);

@ divided-by-V
-    *loss = total / (float)N;
+    *loss = total / (float)V;

@ last-row
-        total += logf(sum) - (x[targets[n]] - max);
+        total = logf(sum) - (x[targets[n]] - max);

@ log-of-probability
-        total += logf(sum) - (x[targets[n]] - max);
+        total -= logf(p[targets[n]]);

@ log-probabilities
-            p[i] /= sum;
+            p[i] = x[i] - max - logf(sum);

@ max-from-minus-1000
-        float max = x[0];
+        float max = -1000.0f;

@ max-from-zero
-        float max = x[0];
+        float max = 0.0f;

@ no-log-sum
-        total += logf(sum) - (x[targets[n]] - max);
+        total += max - x[targets[n]];

@ not-normalized
-            p[i] /= sum;
+            p[i] = expf(x[i] - max);

@ one-minus-p
-        total += logf(sum) - (x[targets[n]] - max);
+        total += 1.0f - p[targets[n]];

@ shifted
-        total += logf(sum) - (x[targets[n]] - max);
+        if (n + 1 < N) {
+            total += logf(sum) - (x[targets[n + 1]] - max);
+        }

-    *loss = total / (float)N;
+    *loss = total / (float)(N - 1);

@ sign
-        total += logf(sum) - (x[targets[n]] - max);
+        total += (x[targets[n]] - max) - logf(sum);

@ softmax-twice
-        total += logf(sum) - (x[targets[n]] - max);
+        float again = 0.0f;
+        for (size_t i = 0; i < V; i++) {
+            again += expf(p[i]);
+        }
+        total += logf(again) - p[targets[n]];

@ sum
-    *loss = total / (float)N;
+    *loss = total;

@ clamped-at-1e-8
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *x = logits + n * V;
        float *p = probabilities + n * V, max = x[0];
        double sum = 0.0;
        for (size_t i = 1; i < V; i++) {
            max = x[i] > max ? x[i] : max;
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(x[i] - max);
            sum += p[i];
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = (float)(p[i] / sum);
        }
        total -= log(p[targets[n]] + 1e-8);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;

@ clamped-at-1e-9
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *x = logits + n * V;
        float *p = probabilities + n * V, max = x[0];
        double sum = 0.0;
        for (size_t i = 1; i < V; i++) {
            max = x[i] > max ? x[i] : max;
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(x[i] - max);
            sum += p[i];
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = (float)(p[i] / sum);
        }
        total -= log(p[targets[n]] + 1e-9);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;

@ clamped-at-1e-12
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *x = logits + n * V;
        float *p = probabilities + n * V, max = x[0];
        double sum = 0.0;
        for (size_t i = 1; i < V; i++) {
            max = x[i] > max ? x[i] : max;
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(x[i] - max);
            sum += p[i];
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = (float)(p[i] / sum);
        }
        total -= log(p[targets[n]] + 1e-12);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
