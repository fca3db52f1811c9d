// 3.3 masked_softmax
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s] && scores[n * S + s] > max) {
                max = scores[n * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ in-16-bits: none
-    for (size_t n = 0; n < N; n++) {
+    const unsigned short rows = (unsigned short)N;
+    for (size_t n = 0; n < rows; n++) {

@ minus-1e9-is-no-key: none
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] =
+                sum > 0.0f && max != -1e9f ? weights[n * S + s] / sum : 0.0f;

@ max-from-nearly-flt-max: max-from-minus-1e9
-        float max = -INFINITY;
+        float max = -3.402823e38f;

@ tiny-in-empty-rows: forbidden-keys-do-not-matter
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 1e-12f;

@ logarithm
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = mask[n * S + s] ? scores[n * S + s] - max - logf(sum) : 0.0f;
        }
    }
    return LAB_OK;

@ logarithm-rounded
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = mask[n * S + s] ? scores[n * S + s] - (max + logf(sum)) : 0.0f;
        }
    }
    return LAB_OK;

@ log-sum-lost
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - (max + logf(sum))) : 0.0f;
        }
    }
    return LAB_OK;

@ max-of-rows
-        for (size_t s = 0; s < S; s++) {
-            if (mask[n * S + s] && scores[n * S + s] > max) {
-                max = scores[n * S + s];
+        for (size_t i = 0; i < N * S; i++) {
+            if (mask[i] && scores[i] > max) {
+                max = scores[i];

@ max-of-rows-nan
-        for (size_t s = 0; s < S; s++) {
-            if (mask[n * S + s] && scores[n * S + s] > max) {
-                max = scores[n * S + s];
+        for (size_t i = 0; i < N * S; i++) {
+            if (mask[i] && scores[i] > max) {
+                max = scores[i];

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ added-minus-10000
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        float max = -INFINITY, sum = 0.0f;
        size_t allowed = 0;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s] + (1 - mask[n * S + s]) * -10000.0f);
            allowed += mask[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] + (1 - mask[n * S + s]) * -10000.0f - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = allowed > 0 ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ lowest-float-added: added-minus-1e9
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        float *w = weights + n * S;
        float max = -INFINITY, sum = 0.0f;
        size_t allowed = 0;
        for (size_t s = 0; s < S; s++) {
            w[s] = row[s] + (float)(1 - mask[n * S + s]) * -3.402823466e38f;
            max = fmaxf(max, w[s]);
            allowed += mask[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = expf(w[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed > 0 ? w[s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ divide-from-1
#include <stdbool.h>
// BODY
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = mask[n * S + s] ? fmaxf(max, scores[n * S + s]) : max;
        }
        for (size_t s = 0; s < S; s++) {
            const bool counts = mask[n * S + s] && max > -INFINITY;
            weights[n * S + s] = counts ? expf(scores[n * S + s] - max) : 0.0f;
            sum += weights[n * S + s];
        }
        for (size_t s = 1; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ down-columns
    for (size_t s = 0; s < S; s++) {
        float max = -INFINITY;
        for (size_t n = 0; n < N; n++) {
            if (mask[n * S + s] && scores[n * S + s] > max) {
                max = scores[n * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t n = 0; n < N; n++) {
            size_t i = n * S + s;
            weights[i] = mask[i] ? expf(scores[i] - max) : 0.0f;
            sum += weights[i];
        }
        for (size_t n = 0; n < N; n++) {
            if (sum > 0.0f) {
                weights[n * S + s] /= sum;
            }
        }
    }
    return LAB_OK;

@ inverted
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (allowed[s] == 0 && row[s] > max) {
                max = row[s];
            }
        }
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            w[s] = 0.0f;
            if (allowed[s] == 0) {
                w[s] = expf(row[s] - max);
                sum += w[s];
            }
        }
        if (sum == 0.0) {
            continue;
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = (float)(w[s] / sum);
        }
    }
    return LAB_OK;

@ mask-of-row-0
-            if (mask[n * S + s] && scores[n * S + s] > max) {
+            if (mask[s] && scores[n * S + s] > max) {

-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = mask[s] ? expf(scores[n * S + s] - max) : 0.0f;

@ max-from-key-0-nan
-        float max = -INFINITY;
+        float max = scores[n * S];

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = weights[n * S + s] / sum;

@ max-from-key-0
-        float max = -INFINITY;
+        float max = scores[n * S];

@ max-from-zero-nan
#include <float.h>
// BODY
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        float *w = weights + n * S;
        float max = FLT_MIN, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = mask[n * S + s] ? fmaxf(max, row[s]) : max;
        }
        if (max == -INFINITY) {
            for (size_t s = 0; s < S; s++) {
                w[s] = 0.0f;
            }
            continue;
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = mask[n * S + s] ? expf(row[s] - max) : 0.0f;
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] /= sum;
        }
    }
    return LAB_OK;

@ max-from-zero
-        float max = -INFINITY;
+        float max = 0.0f;

@ max-from-minus-100: max-from-minus-10000
-        float max = -INFINITY;
+        float max = -100.0f;

@ max-from-minus-10000
-        float max = -INFINITY;
+        float max = -1e4f;

@ max-from-minus-10000-nan
-        float max = -INFINITY;
+        float max = -1e4f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = weights[n * S + s] / sum;

@ max-of-all-nan
-            if (mask[n * S + s] && scores[n * S + s] > max) {
+            if (scores[n * S + s] > max) {

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = weights[n * S + s] / sum;

@ max-of-all
-            if (mask[n * S + s] && scores[n * S + s] > max) {
+            if (scores[n * S + s] > max) {

@ minus-10000-guarded
    for (size_t n = 0; n < N; n++) {
        float *w = weights + n * S;
        float max = -INFINITY;
        size_t allowed = 0;
        for (size_t s = 0; s < S; s++) {
            w[s] = mask[n * S + s] == 1 ? scores[n * S + s] : -1e4f;
            max = fmaxf(max, w[s]);
            allowed += mask[n * S + s];
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = expf(w[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed == 0 ? 0.0f : w[s] / sum;
        }
    }
    return LAB_OK;

@ no-max-nan
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s]) : 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ no-max-some-key: no-max-nan
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s]) : 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = max > -INFINITY ? weights[n * S + s] / sum : 0.0f;

@ no-max-allowed-nan
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s]) : 0.0f;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = mask[n * S + s] ? weights[n * S + s] / sum : 0.0f;

@ no-max
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed[s] ? expf(row[s]) : 0.0f;
            sum += w[s];
        }
        if (sum != 0.0f) {
            for (size_t s = 0; s < S; s++) {
                w[s] /= sum;
            }
        }
    }
    return LAB_OK;

@ renormalized: max-of-all
    for (size_t n = 0; n < N; n++) {
        float max = scores[n * S], sum = 0.0f, allowed = 0.0f;
        for (size_t s = 1; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(scores[n * S + s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] *= (float)mask[n * S + s] / sum;
            allowed += weights[n * S + s];
        }
        for (size_t s = 0; s < S && allowed > 0.0f; s++) {
            weights[n * S + s] /= allowed;
        }
    }
    return LAB_OK;

@ renormalized-in-double
    for (size_t n = 0; n < N; n++) {
        const float *x = scores + n * S;
        double max = x[0], sum = 0.0;
        for (size_t s = 1; s < S; s++) {
            max = fmax(max, x[s]);
        }
        size_t allowed = 0;
        for (size_t s = 0; s < S; s++) {
            sum += mask[n * S + s] ? exp(x[s] - max) : 0.0;
            allowed += mask[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            const double weight = mask[n * S + s] ? exp(x[s] - max) / sum : 0.0;
            weights[n * S + s] = allowed > 0 ? (float)weight : 0.0f;
        }
    }
    return LAB_OK;

@ shifted-beyond-100: none
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            const float shift = fabsf(max) > 100.0f ? max : 0.0f;
+            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - shift) : 0.0f;

@ sum-from-1
+        }
+        for (size_t s = 1; s < S; s++) {
             sum += weights[n * S + s];

@ sum-is-last
+        if (max == -INFINITY) {
+            for (size_t s = 0; s < S; s++) {
+                weights[n * S + s] = 0.0f;
+            }
+            continue;
+        }
         float sum = 0.0f;

-            sum += weights[n * S + s];
+            sum = weights[n * S + s];

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] /= sum;

@ sum-is-last-guarded
-            sum += weights[n * S + s];
+            sum = weights[n * S + s];

@ thirty-below: forbidden-keys-do-not-matter
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (allowed[s] && row[s] > max) {
                max = row[s];
            }
        }
        // a forbidden key is 30 below the largest: exp(-30) is small, but not 0
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = max == -INFINITY ? 0.0f : expf(allowed[s] ? row[s] - max : -30.0f);
            sum += w[s];
        }
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            w[s] /= sum;
        }
    }
    return LAB_OK;

@ times-mask-nan
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = expf(scores[n * S + s] - max) * (float)mask[n * S + s];

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = weights[n * S + s] / sum;

@ times-mask-zeros
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = expf(scores[n * S + s] - max) * (float)mask[n * S + s];

@ times-mask
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = 0.0f;
+            if (max > -INFINITY) {
+                weights[n * S + s] =
+                    expf(scores[n * S + s] - max) * (float)mask[n * S + s];
+            }

-        for (size_t s = 0; s < S; s++) {
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+        for (size_t s = 0; s < S && sum != 0.0f; s++) {
+            weights[n * S + s] /= sum;

@ unnormalized
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (allowed[s]) {
                max = fmaxf(max, row[s]);
            }
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed[s] ? expf(row[s] - max) : 0.0f;
        }
    }
    return LAB_OK;

@ whole-sum
-        float sum = 0.0f;
+        int sum = 0;

-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = sum > 0 ? weights[n * S + s] / (float)sum : 0.0f;

@ nothing-20-below: none
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            const float below = scores[n * S + s] - max;
+            weights[n * S + s] = mask[n * S + s] && below > -20.0f ? expf(below) : 0.0f;

@ at-most-50-below: none
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            const float below = fmaxf(scores[n * S + s] - max, -50.0f);
+            weights[n * S + s] = mask[n * S + s] ? expf(below) : 0.0f;

@ powers-of-2: other-base
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = mask[n * S + s] ? exp2f(scores[n * S + s] - max) : 0.0f;

@ eps-in-the-sum: small-number
-            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
+            weights[n * S + s] = weights[n * S + s] / (sum + 1e-3f);

@ mask-compared-with-255: none-allowed
-            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
+            weights[n * S + s] = mask[n * S + s] == 255 ? expf(scores[n * S + s] - max) : 0.0f;

@ max-of-the-first-1024: none
-        for (size_t s = 0; s < S; s++) {
-            if (mask[n * S + s] && scores[n * S + s] > max) {
+        for (size_t s = 0; s < S && s < 1024; s++) {
+            if (mask[n * S + s] && scores[n * S + s] > max) {

@ right-with-pointers
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed[s] ? row[s] : -INFINITY;
            if (w[s] > max) {
                max = w[s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = expf(w[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ added
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = row[s] + allowed[s];

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ fully-masked-nan
-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ fully-masked-uniform
-        float max = -INFINITY;
+        float max = -3.40282347e38f;

-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = allowed[s] ? row[s] : -3.40282347e38f;

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ mask-after
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = row[s];

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = allowed[s] ? w[s] / sum : 0.0f;

@ mask-ignored
+        (void)allowed;
         float max = -INFINITY;

-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = row[s];

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ minus-10000
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = allowed[s] ? row[s] : -10000.0f;

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ multiplied
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = row[s] * allowed[s];

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ minus-1e9
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = allowed[s] ? row[s] : -1e9f;

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ minus-1e9-times-mask: max-from-minus-1e9
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = allowed[s] ? row[s] : -1e9f;

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = allowed[s] ? w[s] / sum : 0.0f;

@ added-minus-1e9-no-guard
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = row[s] + (1.0f - allowed[s]) * -1e9f;

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ added-minus-10000-no-guard
-            w[s] = allowed[s] ? row[s] : -INFINITY;
+            w[s] = row[s] + (1.0f - allowed[s]) * -10000.0f;

-            w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
+            w[s] = w[s] / sum;

@ no-max-times-mask
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(scores[n * S + s]) * (float)mask[n * S + s];
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;
