// 10.5 combine_partials
    for (size_t n = 0; n < N; n++) {
        const float *log = part_logsumexp + n * P;
        float max = -INFINITY, sum = 0.0f;
        memset(out + n * hs, 0, hs * sizeof *out);
        for (size_t p = 0; p < P; p++) {
            max = fmaxf(max, log[p]);
        }
        if (max == -INFINITY) {
            logsumexp[n] = -INFINITY;
            continue;
        }
        for (size_t p = 0; p < P; p++) {
            sum += expf(log[p] - max);
        }
        logsumexp[n] = max + logf(sum);
        for (size_t p = 0; p < P; p++) {
            if (log[p] == -INFINITY) {
                continue;
            }
            const float share = expf(log[p] - max) / sum;
            for (size_t i = 0; i < hs; i++) {
                out[n * hs + i] += share * part_out[(n * P + p) * hs + i];
            }
        }
    }
    return LAB_OK;

@ maximum-of-the-first-256-parts: none
-            max = fmaxf(max, log[p]);
+            max = p < 256 ? fmaxf(max, log[p]) : max;

@ log-of-exp-of-one-part: none
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = P == 1 ? logf(expf(max)) : max + logf(sum);

@ max-from-minus-1e9
-        float max = -INFINITY, sum = 0.0f;
+        float max = -1e9f, sum = 0.0f;

-        if (max == -INFINITY) {
+        if (max == -1e9f) {

@ one-part-copied
+    if (P == 1) {
+        memcpy(out, part_out, N * hs * sizeof *out);
+        memcpy(logsumexp, part_logsumexp, N * sizeof *logsumexp);
+        return LAB_OK;
+    }
     for (size_t n = 0; n < N; n++) {

@ mean
-            const float share = expf(log[p] - max) / sum;
+            const float share = 1.0f / (float)P;

@ sum
-            const float share = expf(log[p] - max) / sum;
+            const float share = 1.0f;

@ shares-not-divided
-            const float share = expf(log[p] - max) / sum;
+            const float share = expf(log[p] - max);

@ inverted
-            const float share = expf(log[p] - max) / sum;
+            const float share = sum / expf(log[p] - max);

@ largest-part
-            const float share = expf(log[p] - max) / sum;
+            const float share = log[p] == max ? 1.0f : 0.0f;

@ base-2
-            const float share = expf(log[p] - max) / sum;
+            const float share = exp2f(log[p] - max) / sum;

@ largest-as-logsumexp
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = max;

@ max-not-added
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = logf(sum);

@ no-log
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = max + sum;

@ log-2
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = max + log2f(sum);

@ mean-in-log
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = max + logf(sum / (float)P);

@ empty-parts-read
-            if (log[p] == -INFINITY) {
+            if (false) {

@ empty-nan
-        if (max == -INFINITY) {
+        if (false) {
             logsumexp[n] = -INFINITY;

@ maximum-from-0
-        float max = -INFINITY, sum = 0.0f;
+        float max = 0.0f, sum = 0.0f;

@ first-query
-        const float *log = part_logsumexp + n * P;
+        const float *log = part_logsumexp;

@ max-of-first-query
-            max = fmaxf(max, log[p]);
+            max = fmaxf(max, part_logsumexp[p]);

@ max-of-all
-        for (size_t p = 0; p < P; p++) {
-            max = fmaxf(max, log[p]);
+        for (size_t p = 0; p < N * P; p++) {
+            max = fmaxf(max, part_logsumexp[p]);

@ max-not-reset
-            max = fmaxf(max, log[p]);
+            max = fmaxf(max, log[p]);
+            for (const float *before = part_logsumexp; before < log; before++) {
+                max = fmaxf(max, *before);
+            }

@ divided-twice
-            const float share = expf(log[p] - max) / sum;
+            const float share = expf(log[p] - logsumexp[n]) / sum;

@ lower-parts-left-out: none
-            const float share = expf(log[p] - max) / sum;
+            const float share = log[p] - max < -16.0f ? 0.0f : expf(log[p] - max) / sum;

@ empty-parts-with-nan-left-out: none
-            if (log[p] == -INFINITY) {
-                continue;
-            }
+            if (isnan(part_out[(n * P + p) * hs])) {
+                continue;
+            }

@ at-most-100: none
-                out[n * hs + i] += share * part_out[(n * P + p) * hs + i];
+                out[n * hs + i] = fminf(out[n * hs + i] + share * part_out[(n * P + p) * hs + i], 100.0f);

@ small-results-are-0: small-number
-            for (size_t i = 0; i < hs; i++) {
-                out[n * hs + i] += share * part_out[(n * P + p) * hs + i];
+            for (size_t i = 0; i < hs; i++) {
+                const float o = out[n * hs + i] + share * part_out[(n * P + p) * hs + i];
+                out[n * hs + i] = fabsf(o) < 1e-12f ? 0.0f : o;

@ empty-is-0-at-width-1: none
-            logsumexp[n] = -INFINITY;
+            logsumexp[n] = hs == 1 ? 0.0f : -INFINITY;

@ empty-is-0-for-one-query: none
-            logsumexp[n] = -INFINITY;
+            logsumexp[n] = N == 1 ? 0.0f : -INFINITY;

@ empty-parts-read-at-width-1: empty-parts-read
-            if (log[p] == -INFINITY) {
+            if (log[p] == -INFINITY && hs > 1) {
