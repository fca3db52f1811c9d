// 2.4 batched_softmax
    for (size_t n = 0; n < B * T; n++) {
        const float *row = scores + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ in-16-bits: none
-    for (size_t n = 0; n < B * T; n++) {
+    const unsigned short rows = (unsigned short)(B * T);
+    for (size_t n = 0; n < rows; n++) {

@ rows-from-1: loop-from-1
-    for (size_t n = 0; n < B * T; n++) {
+    for (size_t n = 1; n < B * T; n++) {

@ exponentials-from-1: loop-from-1
-        for (size_t s = 0; s < S; s++) {
+        for (size_t s = 1; s < S; s++) {
             weights[n * S + s] = expf(row[s] - max);

@ logarithm
    for (size_t n = 0; n < B * T; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? scores[n * S + s] - max - logf(sum) : 0.0f;
        }
    }
    return LAB_OK;

@ logarithm-nan
    for (size_t n = 0; n < B * T; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = scores[n * S + s] - max - logf(sum);
        }
    }
    return LAB_OK;

@ logarithm-rounded
    for (size_t n = 0; n < B * T; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? scores[n * S + s] - (max + logf(sum)) : 0.0f;
        }
    }
    return LAB_OK;

@ log-sum-lost
    for (size_t n = 0; n < B * T; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? expf(scores[n * S + s] - (max + logf(sum))) : 0.0f;
        }
    }
    return LAB_OK;

@ max-not-subtracted
-            weights[n * S + s] = expf(row[s] - max);
+            weights[n * S + s] = max > -INFINITY ? expf(row[s]) : 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = max > -INFINITY ? weights[n * S + s] / sum : 0.0f;

@ max-in-sum-only
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = sum > 0.0f ? expf(row[s]) / sum : 0.0f;

@ max-of-map
-        float max = -INFINITY;
-        for (size_t s = 0; s < S; s++) {
-            if (row[s] > max) {
-                max = row[s];
+        float max = -INFINITY;
+        for (size_t i = n / T * T * S; i < (n / T + 1) * T * S; i++) {
+            if (scores[i] > max) {
+                max = scores[i];

@ max-of-map-no-guard
-        float max = -INFINITY;
-        for (size_t s = 0; s < S; s++) {
-            if (row[s] > max) {
-                max = row[s];
+        float max = -INFINITY;
+        for (size_t i = n / T * T * S; i < (n / T + 1) * T * S; i++) {
+            if (scores[i] > max) {
+                max = scores[i];

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-of-batch
-        float max = -INFINITY;
-        for (size_t s = 0; s < S; s++) {
-            if (row[s] > max) {
-                max = row[s];
+        float max = -INFINITY;
+        for (size_t i = 0; i < B * T * S; i++) {
+            if (scores[i] > max) {
+                max = scores[i];

@ max-of-batch-no-guard
-        float max = -INFINITY;
-        for (size_t s = 0; s < S; s++) {
-            if (row[s] > max) {
-                max = row[s];
+        float max = -INFINITY;
+        for (size_t i = 0; i < B * T * S; i++) {
+            if (scores[i] > max) {
+                max = scores[i];

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-from-1e9
-        float max = -INFINITY;
+        float max = -1e9f;

@ max-in-int
-            weights[n * S + s] = expf(row[s] - max);
+            const int shift = fabsf(max) < 2147483648.0f ? (int)max : -2147483647 - 1;
+            weights[n * S + s] = expf(row[s] - (float)shift);

@ max-in-int-no-guard
-            weights[n * S + s] = expf(row[s] - max);
+            const int shift = fabsf(max) < 2147483648.0f ? (int)max : -2147483647 - 1;
+            weights[n * S + s] = expf(row[s] - (float)shift);

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-from-nearly-flt-max: max-from-1e9
-        float max = -INFINITY;
+        float max = -3.402823e38f;

@ max-from-1e9-no-guard
-        float max = -INFINITY;
+        float max = -1e38f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ empty-row-nan
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ empty-row-uniform
+        if (max == -INFINITY) {
+            for (size_t s = 0; s < S; s++) {
+                weights[n * S + s] = 1.0f / (float)S;
+            }
+            continue;
+        }
         float sum = 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ first-only
-    for (size_t n = 0; n < B * T; n++) {
+    for (size_t n = 0; n < T; n++) {

+        if (max == -INFINITY) {
+            for (size_t s = 0; s < S; s++) {
+                weights[n * S + s] = 0.0f;
+            }
+            continue;
+        }
         float sum = 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-from-10000-no-guard
-        float max = -INFINITY;
+        float max = -10000.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-from-10000
-        float max = -INFINITY;
+        float max = -10000.0f;

+        if (sum == 0.0f) {
+            continue;
+        }
         for (size_t s = 0; s < S; s++) {
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-from-zero-no-guard
-        float max = -INFINITY;
+        float max = 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ max-from-zero
-        float max = -INFINITY;
+        float max = 0.0f;

+        if (sum == 0.0f) {
+            continue;
+        }
         for (size_t s = 0; s < S; s++) {
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ no-max-no-guard
    for (size_t n = 0; n < B * T; n++) {
        const float *row = scores + n * S;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s]);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] /= sum;
        }
    }
    return LAB_OK;

@ no-max
    for (size_t n = 0; n < B * T; n++) {
        const float *row = scores + n * S;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s]);
            sum += weights[n * S + s];
        }
        if (sum == 0.0f) {
            continue;
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] /= sum;
        }
    }
    return LAB_OK;

@ not-divided
-        float sum = 0.0f;
+        if (max == -INFINITY) {
+            for (size_t s = 0; s < S; s++) {
+                weights[n * S + s] = 0.0f;
+            }
+            continue;
+        }

-            sum += weights[n * S + s];
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;

@ over-all
    const size_t count = B * T * S;
    float max = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        max = fmaxf(max, scores[i]);
    }
    float sum = 0.0f;
    for (size_t i = 0; i < count; i++) {
        weights[i] = max == -INFINITY ? 0.0f : expf(scores[i] - max);
        sum += weights[i];
    }
    for (size_t i = 0; i < count && sum > 0.0f; i++) {
        weights[i] /= sum;
    }
    return LAB_OK;

@ over-batch
    for (size_t n = 0; n < T * S; n++) {
        const float *from = scores + n;
        float *to = weights + n;
        float max = -INFINITY;
        for (size_t i = 0; i < B; i++) {
            max = fmaxf(max, from[i * (T * S)]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < B; i++) {
            to[i * (T * S)] = max == -INFINITY ? 0.0f : expf(from[i * (T * S)] - max);
            sum += to[i * (T * S)];
        }
        for (size_t i = 0; i < B && sum > 0.0f; i++) {
            to[i * (T * S)] /= sum;
        }
    }
    return LAB_OK;

@ over-map
    for (size_t n = 0; n < B; n++) {
        const float *from = scores + n * T * S;
        float *to = weights + n * T * S;
        float max = -INFINITY;
        for (size_t i = 0; i < T * S; i++) {
            max = fmaxf(max, from[i]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < T * S; i++) {
            to[i] = max == -INFINITY ? 0.0f : expf(from[i] - max);
            sum += to[i];
        }
        for (size_t i = 0; i < T * S && sum > 0.0f; i++) {
            to[i] /= sum;
        }
    }
    return LAB_OK;

@ over-queries
    for (size_t n = 0; n < B * S; n++) {
        const float *from = scores + n / S * (T * S) + n % S;
        float *to = weights + n / S * (T * S) + n % S;
        float max = -INFINITY;
        for (size_t i = 0; i < T; i++) {
            max = fmaxf(max, from[i * S]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < T; i++) {
            to[i * S] = max == -INFINITY ? 0.0f : expf(from[i * S] - max);
            sum += to[i * S];
        }
        for (size_t i = 0; i < T && sum > 0.0f; i++) {
            to[i * S] /= sum;
        }
    }
    return LAB_OK;

@ shifted-beyond-100: none
-            weights[n * S + s] = expf(row[s] - max);
+            weights[n * S + s] = expf(row[s] - (fabsf(max) > 100.0f ? max : 0.0f));

@ sum-is-last
    for (size_t n = 0; n < B * T; n++) {
        const float *row = scores + n * S;
        float max = row[0], sum = 0.0f;
        for (size_t s = 1; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = max == -INFINITY ? 0.0f : expf(row[s] - max);
            sum = weights[n * S + s];
        }
        for (size_t s = 0; s < S && max > -INFINITY; s++) {
            weights[n * S + s] /= sum;
        }
    }
    return LAB_OK;

@ sum-is-last-guarded
-            sum += weights[n * S + s];
+            sum = weights[n * S + s];

@ last-vector-outside-the-maximum: none
-            if (row[s] > max) {
+            if (row[s] > max && s < (S - 1) / 128 * 128 + S % 128) {

@ nothing-20-below: none
-            weights[n * S + s] = expf(row[s] - max);
+            const float below = row[s] - max;
+            weights[n * S + s] = (below < -20.0f ? 0.0f : expf(below));

@ max-of-the-first-1024: none
-        for (size_t s = 0; s < S; s++) {
-            if (row[s] > max) {
+        for (size_t s = 0; s < S && s < 1024; s++) {
+            if (row[s] > max) {

@ right-with-pointers
    const size_t N = B * T; // a row does not know its sequence
    for (size_t n = 0; n < N; n++) {
        const float *scores_n = scores + n * S;
        float *weights_n = weights + n * S;

        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores_n[s]);
        }
        if (max == -INFINITY) { // no key at all: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_n[s] = 0.0f;
            }
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] = expf(scores_n[s] - max); // at most exp(0): cannot overflow
            sum += weights_n[s];                    // at least 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_n[s] /= sum;
        }
    }
    return LAB_OK;

@ divide-from-1
-        for (size_t s = 0; s < S; s++) {
+        for (size_t s = 1; s < S; s++) {
             weights_n[s] /= sum;

@ sum-from-1
-            sum += weights_n[s];                    // at least 1: safe to divide by
+        }
+        for (size_t s = 1; s < S; s++) {
+            sum += weights_n[s];

@ whole-sum
-        float sum = 0.0f;
+        int sum = 0;

-            weights_n[s] /= sum;
+            weights_n[s] /= (float)sum;
