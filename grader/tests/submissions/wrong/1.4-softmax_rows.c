// 1.4 softmax_rows
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ tiny-in-empty-rows: hidden-keys
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 1e-12f;

@ in-16-bits: none
-    for (size_t t = 0; t < T; t++) {
+    const unsigned short rows = (unsigned short)T;
+    for (size_t t = 0; t < rows; t++) {

@ rows-from-1: loop-from-1
-    for (size_t t = 0; t < T; t++) {
+    for (size_t t = 1; t < T; t++) {

@ max-from-minus-1e9
-        float max = -INFINITY;
+        float max = -1e9f;

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ max-in-int-guarded
-            weights[t * S + s] = expf(scores[t * S + s] - max);
+            const int shift = fabsf(max) < 2147483648.0f ? (int)max : -2147483647 - 1;
+            weights[t * S + s] = expf(scores[t * S + s] - (float)shift);

@ max-in-int
+        if (max == -INFINITY) {
+            for (size_t s = 0; s < S; s++) {
+                weights[t * S + s] = 0.0f;
+            }
+            continue;
+        }
         float sum = 0.0f;

-            weights[t * S + s] = expf(scores[t * S + s] - max);
+            const int shift = fabsf(max) < 2147483648.0f ? (int)max : -2147483647 - 1;
+            weights[t * S + s] = expf(scores[t * S + s] - (float)shift);

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ max-from-minus-1e9-guarded
-        float max = -INFINITY;
+        float max = -1e38f;

@ max-from-nearly-flt-max: max-from-minus-1e9-guarded
-        float max = -INFINITY;
+        float max = -3.402823e38f;

@ max-from-minus-10000-guarded
-        float max = -INFINITY;
+        float max = -1e4f;

@ max-from-flt-max: empty-row-nan
-        float max = -INFINITY;
+        float max = -3.40282347e38f;

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ columns
    for (size_t s = 0; s < S; s++) {
        float max = -INFINITY;
        for (size_t t = 0; t < T; t++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t t = 0; t < T; t++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        for (size_t t = 0; t < T; t++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;

@ divided-by-S
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum / S : 0.0f;

@ by-S-alone
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / S : 0.0f;

@ scores-in-sum
-            sum += weights[t * S + s];
+            sum += scores[t * S + s];

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = max > -INFINITY ? weights[t * S + s] / sum : 0.0f;

@ sum-so-far
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = max > -INFINITY ? weights[t * S + s] / sum : 0.0f;

@ sum-so-far-guarded
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;

@ empty-row-nan
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ empty-row-uniform
    for (size_t t = 0; t < T; t++) {
        float max = -3.40282347e38f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(fmaxf(scores[t * S + s], -3.40282347e38f) - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;

@ logarithm
    for (size_t t = 0; t < T; t++) {
        float max = scores[t * S];
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        if (max == -INFINITY) {
            for (size_t s = 0; s < S; s++) {
                weights[t * S + s] = 0.0f;
            }
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = scores[t * S + s] - max - logf(sum);
        }
    }
    return LAB_OK;

@ logarithm-nan
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = scores[t * S + s] - max - logf(sum);
        }
    }
    return LAB_OK;

@ logarithm-rounded-nan
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = scores[t * S + s] - (max + logf(sum));
        }
    }
    return LAB_OK;

@ logarithm-rounded
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? scores[t * S + s] - (max + logf(sum)) : 0.0f;
        }
    }
    return LAB_OK;

@ log-sum-lost
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? expf(scores[t * S + s] - (max + logf(sum))) : 0.0f;
        }
    }
    return LAB_OK;

@ log-sum-lost-nan
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - (max + logf(sum)));
        }
    }
    return LAB_OK;

@ not-normalized-nan
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;

@ max-in-sum-only
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = sum > 0.0f ? expf(scores[t * S + s]) / sum : 0.0f;

@ max-in-sum-only-nan
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = expf(scores[t * S + s]) / sum;

@ max-from-score-0
-        float max = -INFINITY;
+        float max = scores[0];

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ max-from-score-0-guarded
-        float max = -INFINITY;
+        float max = scores[0];

@ max-from-minus-10000
-        float max = -INFINITY;
+        float max = -10000.0f;

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ max-from-zero-guarded
-        float max = -INFINITY;
+        float max = 0.0f;

@ max-from-zero
-        float max = -INFINITY;
+        float max = 0.0f;

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ max-not-reset
+    float max = -INFINITY;
     for (size_t t = 0; t < T; t++) {

-        float max = -INFINITY;

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ max-not-subtracted
    for (size_t t = 0; t < T; t++) {
        const float *row = scores + t * S;
        float *out = weights + t * S;
        float max = row[0];
        for (size_t s = 1; s < S; s++) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        float sum = 0;
        for (size_t s = 0; s < S; s++) {
            out[s] = max == -INFINITY ? 0 : expf(row[s]);
            sum += out[s];
        }
        for (size_t s = 0; s < S && max != -INFINITY; s++) {
            out[s] /= sum;
        }
    }
    return LAB_OK;

@ max-of-all-guarded
    float max = scores[0];
    for (size_t i = 1; i < T * S; i++) {
        max = fmaxf(max, scores[i]);
    }
    for (size_t t = 0; t < T; t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ max-of-all
    float max = scores[0];
    for (size_t i = 1; i < T * S; i++) {
        max = fmaxf(max, scores[i]);
    }
    for (size_t t = 0; t < T; t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;

@ no-max-guarded
    for (size_t t = 0; t < T; t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s]);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;

@ no-max
    for (size_t t = 0; t < T; t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s]);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;

@ not-normalized
    for (size_t t = 0; t < T; t++) {
        float max = scores[t * S];
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = max == -INFINITY ? 0.0f : expf(scores[t * S + s] - max);
        }
    }
    return LAB_OK;

@ reads-old-output
    // Searches for the row's maximum in its first weight, which was never set.
    for (size_t t = 0; t < T; t++) {
        const float *x = scores + t * S;
        float *w = weights + t * S;
        for (size_t s = 0; s < S; s++) {
            w[0] = w[0] > x[s] ? w[0] : x[s];
        }
        const float max = w[0];
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            w[s] = max == -INFINITY ? 0.0f : expf(x[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S && sum > 0.0; s++) {
            w[s] = (float)(w[s] / sum);
        }
    }
    return LAB_OK;

@ rounded
    for (size_t t = 0; t < T; t++) {
        const float *row = scores + t * S;
        float *out = weights + t * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            out[s] = max == -INFINITY ? 0.0f : expf(row[s] - max);
            sum += out[s];
        }
        for (size_t s = 0; s < S; s++) {
            out[s] = sum > 0.0f ? truncf(out[s] / sum * 1e6f) / 1e6f : 0.0f;
        }
    }
    return LAB_OK;

@ shifted-beyond-100: none
-            weights[t * S + s] = expf(scores[t * S + s] - max);
+            weights[t * S + s] =
+                expf(scores[t * S + s] - (fabsf(max) > 100.0f ? max : 0.0f));

@ sum-is-last
    for (size_t t = 0; t < T; t++) {
        const float *row = scores + t * S;
        float max = row[0], sum = 0.0f;
        for (size_t s = 1; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = max == -INFINITY ? 0.0f : expf(row[s] - max);
            sum = weights[t * S + s];
        }
        for (size_t s = 0; s < S && max > -INFINITY; s++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;

@ sum-is-last-guarded
-            sum += weights[t * S + s];
+            sum = weights[t * S + s];

@ sum-not-reset
+    float sum = 0.0f;
     for (size_t t = 0; t < T; t++) {

-        float max = -INFINITY;
+        float max = scores[t * S];

-        float sum = 0.0f;
+        if (max == -INFINITY) {
+            for (size_t s = 0; s < S; s++) {
+                weights[t * S + s] = 0.0f;
+            }
+            continue;
+        }

-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] /= sum;

@ nothing-20-below: none
-            weights[t * S + s] = expf(scores[t * S + s] - max);
+            const float below = scores[t * S + s] - max;
+            weights[t * S + s] = (below < -20.0f ? 0.0f : expf(below));

@ nothing-60-below: none
-            weights[t * S + s] = expf(scores[t * S + s] - max);
+            const float below = scores[t * S + s] - max;
+            weights[t * S + s] = (below < -60.0f ? 0.0f : expf(below));

@ equal-ends-are-equal-weights: none
-        float sum = 0.0f;
+        float sum = 0.0f;
+        const float last = scores[t * S + S - 1];
+        if (S > 1 && scores[t * S] == max && last == max) {
+            for (size_t s = 0; s < S; s++) {
+                weights[t * S + s] = max == -INFINITY ? 0.0f : 1.0f / (float)S;
+            }
+            continue;
+        }

@ powers-of-2: other-base
-            weights[t * S + s] = expf(scores[t * S + s] - max);
+            weights[t * S + s] = exp2f(scores[t * S + s] - max);

@ eps-in-the-sum: small-number
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / (sum + 1e-4f) : 0.0f;

@ max-of-the-first-1024: none
-        for (size_t s = 0; s < S; s++) {
-            if (scores[t * S + s] > max) {
+        for (size_t s = 0; s < S && s < 1024; s++) {
+            if (scores[t * S + s] > max) {

@ at-most-4096-keys: none
-        for (size_t s = 0; s < S; s++) {
-            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
+        for (size_t s = 0; s < S; s++) {
+            const int fits = s < 4096; // a buffer of 4096 numbers
+            weights[t * S + s] = fits && sum > 0.0f ? weights[t * S + s] / sum : 0.0f;

@ right-with-pointers
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float *weights_t = weights + t * S;

        float max = scores_t[0];
        for (size_t s = 1; s < S; s++) {
            max = scores_t[s] > max ? scores_t[s] : max;
        }
        if (max == -INFINITY) { // no key at all: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_t[s] = 0.0f;
            }
            continue;
        }
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = expf(scores_t[s] - max); // at most exp(0): cannot overflow
            sum += weights_t[s];                    // at least 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = (float)(weights_t[s] / sum);
        }
    }
    return LAB_OK;

@ exponent-negated
-            weights_t[s] = expf(scores_t[s] - max); // at most exp(0): cannot overflow
+            weights_t[s] = expf(max - scores_t[s]); // at most exp(0): cannot overflow

@ divide-from-1
-        for (size_t s = 0; s < S; s++) {
+        for (size_t s = 1; s < S; s++) {
             weights_t[s] = (float)(weights_t[s] / sum);

@ sum-from-1
-            sum += weights_t[s];                    // at least 1: safe to divide by
+        }
+        for (size_t s = 1; s < S; s++) {
+            sum += weights_t[s];

@ whole-sum
-        double sum = 0.0;
+        int sum = 0;

-            weights_t[s] = (float)(weights_t[s] / sum);
+            weights_t[s] = (float)(weights_t[s] / (float)sum);

@ not-rescaled
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            const float score = scores[t * S + s];
            max = fmaxf(max, score);
            sum += score == -INFINITY ? 0.0f : expf(score - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] =
                sum == 0.0f ? 0.0f : expf(scores[t * S + s] - max) / sum;
        }
    }
    return LAB_OK;

@ one-pass-nan
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            const float larger = fmaxf(max, scores[t * S + s]);
            sum = sum * expf(max - larger) + expf(scores[t * S + s] - larger);
            max = larger;
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max) / sum;
        }
    }
    return LAB_OK;

@ one-pass-nan-guarded
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            const float larger = fmaxf(max, scores[t * S + s]);
            sum = sum * expf(max - larger) + expf(scores[t * S + s] - larger);
            max = larger;
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = max == -INFINITY ? 0.0f : expf(scores[t * S + s] - max) / sum;
        }
    }
    return LAB_OK;

@ one-pass-zeros
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            const float larger = fmaxf(max, scores[t * S + s]);
            sum = sum * expf(max - larger) + expf(scores[t * S + s] - larger);
            max = larger;
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? expf(scores[t * S + s] - max) / sum : 0.0f;
        }
    }
    return LAB_OK;
