// 10.1 partial_attention
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t r = 0; r < M; r++) {
        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
        seen = seen < 0 ? 0 : seen > (ptrdiff_t)N ? (ptrdiff_t)N : seen;
        float largest = -INFINITY;
        for (size_t c = 0; c < (size_t)seen; c++) {
            float score = 0.0f;
            for (size_t i = 0; i < hs; i++) {
                score += q[r * hs + i] * k[c * hs + i];
            }
            scores[r * N + c] = score * scale;
            largest = fmaxf(largest, scores[r * N + c]);
        }
        float total = 0.0f;
        memset(weighted + r * hs, 0, hs * sizeof *weighted);
        for (size_t c = 0; c < (size_t)seen; c++) {
            const float e = expf(scores[r * N + c] - largest);
            total += e;
            for (size_t i = 0; i < hs; i++) {
                weighted[r * hs + i] += e * v[c * hs + i];
            }
        }
        max[r] = largest;
        sum[r] = total;
    }
    return LAB_OK;

@ count-unsigned
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
-        seen = seen < 0 ? 0 : seen > (ptrdiff_t)N ? (ptrdiff_t)N : seen;
+        size_t seen = diagonal >= (ptrdiff_t)N ? N : r + (size_t)diagonal + 1;
+        seen = seen > N ? N : seen;

@ at-most-100: none
-                weighted[r * hs + i] += e * v[c * hs + i];
+                weighted[r * hs + i] = fminf(weighted[r * hs + i] + e * v[c * hs + i], 100.0f);

@ small-values-are-0: small-number
-                weighted[r * hs + i] += e * v[c * hs + i];
+                weighted[r * hs + i] += fabsf(v[c * hs + i]) < 1e-7f ? 0.0f : e * v[c * hs + i];

@ max-is-last
-            largest = fmaxf(largest, scores[r * N + c]);
+            largest = scores[r * N + c];

@ sum-is-last
-            total += e;
+            total = e;

@ no-scale
-            scores[r * N + c] = score * scale;
+            scores[r * N + c] = score + 0.0f * scale;

@ over-hs
-            scores[r * N + c] = score * scale;
+            scores[r * N + c] = score * scale * scale;

@ multiplied
-            scores[r * N + c] = score * scale;
+            scores[r * N + c] = score / scale;

@ sqrt-N
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)N);

@ no-maximum
-            const float e = expf(scores[r * N + c] - largest);
+            const float e = expf(scores[r * N + c]);

@ online-not-rescaled
-            largest = fmaxf(largest, scores[r * N + c]);

-            const float e = expf(scores[r * N + c] - largest);
+            largest = fmaxf(largest, scores[r * N + c]);
+            const float e = expf(scores[r * N + c] - largest);

@ online-weighted-not-rescaled
-            largest = fmaxf(largest, scores[r * N + c]);

-            const float e = expf(scores[r * N + c] - largest);
-            total += e;
+            const float before = largest;
+            largest = fmaxf(largest, scores[r * N + c]);
+            const float e = expf(scores[r * N + c] - largest);
+            total = total * expf(before - largest) + e;

@ maximum-from-0
-        float largest = -INFINITY;
+        float largest = 0.0f;

@ maximum-from-FLT_MIN: maximum-from-0
+#include <float.h>

-        float largest = -INFINITY;
+        float largest = FLT_MIN;

@ maximum-from-1e4
-        float largest = -INFINITY;
+        float largest = -10000.0f;

@ maximum-from-1e9
-        float largest = -INFINITY;
+        float largest = -1e9f;

@ maximum-from-flt-max: none
+#include <float.h>

-        float largest = -INFINITY;
+        float largest = -FLT_MAX;

@ max-not-reset
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)hs);
+    float largest = -INFINITY;

-        float largest = -INFINITY;

@ sum-not-reset
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)hs);
+    float total = 0.0f;

-        float total = 0.0f;

@ weighted-not-reset: reads-old-output
-        memset(weighted + r * hs, 0, hs * sizeof *weighted);

@ weighted-of-query-0-alone: none
-        memset(weighted + r * hs, 0, hs * sizeof *weighted);
+        memset(weighted, 0, hs * sizeof *weighted);

@ max-of-all-keys
-        for (size_t c = 0; c < (size_t)seen; c++) {
+        for (size_t c = 0; c < N; c++) {
             float score = 0.0f;

@ max-unscaled
-        max[r] = largest;
+        max[r] = largest / scale;

@ base-2
-            const float e = expf(scores[r * N + c] - largest);
+            const float e = exp2f(scores[r * N + c] - largest);

@ divided
-        max[r] = largest;
+        for (size_t i = 0; i < hs; i++) {
+            weighted[r * hs + i] /= total;
+        }
+        max[r] = largest;

@ divided-if-any
-        max[r] = largest;
+        for (size_t i = 0; i < hs && total > 0.0f; i++) {
+            weighted[r * hs + i] /= total;
+        }
+        max[r] = largest;

@ logsumexp-as-max: none
-        max[r] = largest;
+        max[r] = largest + logf(total);

@ every-key
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
+        ptrdiff_t seen = (ptrdiff_t)N + (diagonal == 12345);

@ diagonal-is-0
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
+        ptrdiff_t seen = (ptrdiff_t)r + 1;
+        (void)diagonal;

@ diagonal-unsigned
-        for (size_t c = 0; c < (size_t)seen; c++) {
+        for (size_t c = 0; c < N && (diagonal >= (ptrdiff_t)N || c <= r + (size_t)diagonal); c++) {
             float score = 0.0f;

-        for (size_t c = 0; c < (size_t)seen; c++) {
+        for (size_t c = 0; c < N && (diagonal >= (ptrdiff_t)N || c <= r + (size_t)diagonal); c++) {
             const float e = expf(scores[r * N + c] - largest);

@ one-key-fewer
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
+        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal;

@ one-key-more
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
+        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 2;

@ diagonal-subtracted
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
+        ptrdiff_t seen = diagonal < -(ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r - diagonal + 1;

@ rule-transposed
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
-        seen = seen < 0 ? 0 : seen > (ptrdiff_t)N ? (ptrdiff_t)N : seen;
+        const ptrdiff_t seen = (ptrdiff_t)N;
+        size_t first = diagonal >= (ptrdiff_t)r ? 0 : N;
+        while (first > 0 && (ptrdiff_t)r <= (ptrdiff_t)(first - 1) + diagonal) {
+            first--;
+        }

-        for (size_t c = 0; c < (size_t)seen; c++) {
+        for (size_t c = first; c < (size_t)seen; c++) {
             float score = 0.0f;

-        for (size_t c = 0; c < (size_t)seen; c++) {
+        for (size_t c = first; c < (size_t)seen; c++) {
             const float e = expf(scores[r * N + c] - largest);

@ k-not-transposed
-                score += q[r * hs + i] * k[c * hs + i];
+                score += q[r * hs + i] * k[i * N + c];

@ tiny-terms-dropped: small-number
-            total += e;
+            total += e > 1e-6f ? e : 0.0f;

@ largest-starts-at-minus-1e30: none
-        float largest = -INFINITY;
+        float largest = seen == 0 ? -INFINITY : -1e30f;

@ last-of-whole-tiles: none
-                score += q[r * hs + i] * k[c * hs + i];
+                score += i < (hs - 1) / 64 * 64 + hs % 64 ? q[r * hs + i] * k[c * hs + i] : 0.0f;

@ diagonal-in-32-bits
-        ptrdiff_t seen = diagonal >= (ptrdiff_t)N ? (ptrdiff_t)N : (ptrdiff_t)r + diagonal + 1;
-        seen = seen < 0 ? 0 : seen > (ptrdiff_t)N ? (ptrdiff_t)N : seen;
+        int seen = diagonal >= (ptrdiff_t)N ? (int)N : (int)((ptrdiff_t)r + diagonal + 1);
+        seen = seen < 0 ? 0 : seen > (int)N ? (int)N : seen;

@ small-weights-are-0: none
-            const float e = expf(scores[r * N + c] - largest);
+            const float e = scores[r * N + c] - largest < -16.0f ? 0.0f : expf(scores[r * N + c] - largest);

@ sum-at-most-1000: none
-        sum[r] = total;
+        sum[r] = fminf(total, 1000.0f);

@ at-most-1000-keys: none
-        seen = seen < 0 ? 0 : seen > (ptrdiff_t)N ? (ptrdiff_t)N : seen;
+        seen = seen < 0 ? 0 : seen > (ptrdiff_t)N ? (ptrdiff_t)N : seen;
+        seen = seen > 1000 ? 1000 : seen;

@ max-at-most-1e8: none
-        max[r] = largest;
+        max[r] = fminf(largest, 1e8f);

@ sum-never-0: small-number
-        sum[r] = total;
+        sum[r] = total + 1e-9f;

@ whole-root: fraction-in-int
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / (int)sqrtf((float)hs);

@ empty-max-0-at-width-1: none
-        max[r] = largest;
+        max[r] = hs == 1 && seen == 0 ? 0.0f : largest;

@ right-masked-afterwards
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t r = 0; r < M; r++) {
        max[r] = -INFINITY;
        for (size_t c = 0; c < N; c++) {
            const bool sees = diagonal >= (ptrdiff_t)N || (ptrdiff_t)c - (ptrdiff_t)r <= diagonal;
            float score = -INFINITY;
            if (sees) {
                score = 0.0f;
                for (size_t i = 0; i < hs; i++) {
                    score += q[r * hs + i] * k[c * hs + i];
                }
                score *= scale;
            }
            scores[r * N + c] = score;
            max[r] = score > max[r] ? score : max[r];
        }
        sum[r] = 0.0f;
        for (size_t i = 0; i < hs; i++) {
            weighted[r * hs + i] = 0.0f;
        }
        for (size_t c = 0; c < N; c++) {
            if (scores[r * N + c] == -INFINITY) {
                continue;
            }
            const float e = expf(scores[r * N + c] - max[r]);
            sum[r] += e;
            for (size_t i = 0; i < hs; i++) {
                weighted[r * hs + i] += e * v[c * hs + i];
            }
        }
    }
    return LAB_OK;

@ unseen-score-0
-            float score = -INFINITY;
+            float score = 0.0f;

@ unseen-score-low
-            float score = -INFINITY;
+            float score = -1e9f;

@ empty-nan
-            if (scores[r * N + c] == -INFINITY) {
-                continue;
-            }

@ zero-times-nan
-            if (scores[r * N + c] == -INFINITY) {
-                continue;
-            }
-            const float e = expf(scores[r * N + c] - max[r]);
+            const float e = scores[r * N + c] == -INFINITY ? 0.0f : expf(scores[r * N + c] - max[r]);

@ overflow-in-the-rule: crash
-            const bool sees = diagonal >= (ptrdiff_t)N || (ptrdiff_t)c - (ptrdiff_t)r <= diagonal;
+            const bool sees = (ptrdiff_t)c <= (ptrdiff_t)r + diagonal;

@ values-are-keys
-                weighted[r * hs + i] += e * v[c * hs + i];
+                weighted[r * hs + i] += e * k[c * hs + i];

@ keys-are-values
-                    score += q[r * hs + i] * k[c * hs + i];
+                    score += q[r * hs + i] * v[c * hs + i];

@ equal-to-max-counted-once: none
-            max[r] = score > max[r] ? score : max[r];
+            max[r] = score < max[r] ? score : max[r];

@ last-tile-only: sum-is-last
-            sum[r] += e;
+            sum[r] = e;
