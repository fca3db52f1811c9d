// 10.1 online_softmax_merge
    for (size_t n = 0; n < N; n++) {
        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
        if (m == -INFINITY) {
            continue;
        }
        const float a = expf(old - m);
        const float b = expf(max_b[n] - m);
        sum[n] = sum[n] * a + sum_b[n] * b;
        for (size_t i = n * hs; i < (n + 1) * hs; i++) {
            weighted[i] = weighted[i] * a + weighted_b[i] * b;
        }
        max[n] = m;
    }
    return LAB_OK;

@ factors-inverted-where-keys
-        if (m == -INFINITY) {
+        if (max_b[n] == -INFINITY) {

-        const float a = expf(old - m);
-        const float b = expf(max_b[n] - m);
+        const float a = expf(m - old);
+        const float b = expf(m - max_b[n]);

@ divided-where-keys
-        if (m == -INFINITY) {
+        if (max_b[n] == -INFINITY) {

-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = (weighted[i] * a + weighted_b[i] * b) / sum[n];

@ sum-at-most-100: none
-        sum[n] = sum[n] * a + sum_b[n] * b;
+        sum[n] = fminf(sum[n] * a + sum_b[n] * b, 100.0f);

@ stops-at-empty
-            continue;
+            return LAB_OK;

@ old-empty-stays
-        if (m == -INFINITY) {
+        if (old == -INFINITY) {

@ old-not-rescaled
-        const float a = expf(old - m);
+        const float a = max[n] > -INFINITY ? 1.0f : 0.0f;

@ max-overwritten-too-early: old-not-rescaled
-        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
+        const float m = max[n] > max_b[n] ? max[n] : max_b[n];

-        const float a = expf(old - m);
+        max[n] = m;
+        const float a = expf(max[n] - m);

@ sum-not-rescaled
-        sum[n] = sum[n] * a + sum_b[n] * b;
+        sum[n] = sum[n] + sum_b[n] * b;

@ weighted-not-rescaled
-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = weighted[i] + weighted_b[i] * b;

@ new-not-rescaled
-        const float b = expf(max_b[n] - m);
+        const float b = 1.0f;

@ sum-b-not-rescaled
-        sum[n] = sum[n] * a + sum_b[n] * b;
+        sum[n] = sum[n] * a + sum_b[n];

@ weighted-b-not-rescaled
-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = weighted[i] * a + weighted_b[i];

@ added
-        const float a = expf(old - m);
-        const float b = expf(max_b[n] - m);
+        const float a = 1.0f, b = 1.0f;

@ factors-inverted
-        const float a = expf(old - m);
-        const float b = expf(max_b[n] - m);
+        const float a = expf(m - old);
+        const float b = expf(m - max_b[n]);

@ old-factor-inverted
-        const float a = expf(old - m);
+        const float a = 1.0f / expf(old - m);

@ factors-swapped
-        const float a = expf(old - m);
-        const float b = expf(max_b[n] - m);
+        const float b = expf(old - m);
+        const float a = expf(max_b[n] - m);

@ maximum-of-b
-        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
+        const float old = max[n], m = max_b[n];

@ maximum-of-old
-        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
+        const float old = max[n], m = max[n];

@ max-not-updated
-        max[n] = m;

@ max-is-b
-        max[n] = m;
+        max[n] = max_b[n];

@ low-is-empty
-        if (m == -INFINITY) {
+        if (m < -1e9f) {

@ maximum-from-0
-        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
+        const float old = max[n], m = fmaxf(0.0f, fmaxf(max[n], max_b[n]));

@ empty-max-0
-        if (m == -INFINITY) {
-            continue;
-        }
+        if (m == -INFINITY) {
+            max[n] = 0.0f;
+            continue;
+        }

@ two-empty-nan
-        if (m == -INFINITY) {
-            continue;
-        }

@ base-2
-        const float a = expf(old - m);
-        const float b = expf(max_b[n] - m);
+        const float a = exp2f(old - m);
+        const float b = exp2f(max_b[n] - m);

@ divided
-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = (weighted[i] * a + weighted_b[i] * b) / sum[n];

@ parts-taken-for-finished
-        sum[n] = sum[n] * a + sum_b[n] * b;
+        const float old_sum = sum[n];
+        sum[n] = sum[n] * a + sum_b[n] * b;

-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = (weighted[i] * a * old_sum + weighted_b[i] * b * sum_b[n]) / sum[n];

@ smaller-maximum
-        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
+        const float old = max[n], m = old < max_b[n] ? old : max_b[n];

@ one-maximum-for-all: none
-        const float old = max[n], m = old > max_b[n] ? old : max_b[n];
+        const float old = max[n], m = old > max_b[0] ? old : max_b[0];

@ first-channel-only: none
-        for (size_t i = n * hs; i < (n + 1) * hs; i++) {
+        for (size_t i = n * hs; i < n * hs + 1; i++) {

@ product-of-exponentials: none
-        sum[n] = sum[n] * a + sum_b[n] * b;
+        sum[n] = sum[n] * sum_b[n] * a * b;

@ lower-new-part-left-out: none
-        const float b = expf(max_b[n] - m);
+        const float b = max_b[n] - m < -16.0f ? 0.0f : expf(max_b[n] - m);

@ lower-old-part-left-out: none
-        const float a = expf(old - m);
+        const float a = old - m < -16.0f ? 0.0f : expf(old - m);

@ at-most-100: none
-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = fminf(weighted[i] * a + weighted_b[i] * b, 100.0f);

@ small-numbers-are-0: small-number
-            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = weighted[i] * a + weighted_b[i] * b;
+            weighted[i] = fabsf(weighted[i]) < 1e-12f ? 0.0f : weighted[i];

@ one-old-empty-stays: none
-        if (m == -INFINITY) {
+        if (m == -INFINITY || (N * hs == 1 && old == -INFINITY)) {

@ one-new-empty-resets: none
-        max[n] = m;
+        max[n] = N * hs == 1 && sum_b[n] == 0.0f ? 0.0f : m;
