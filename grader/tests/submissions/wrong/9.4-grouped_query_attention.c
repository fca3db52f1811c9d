// 9.4 grouped_query_attention
    const size_t G = NH / NKV;
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T, b = i / NH, h = i % NH;
        const size_t head = b * NKV + h / G;
        const float *q_n = q + n * hs;
        const float *k_g = k + head * S * hs, *v_g = v + head * S * hs;
        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
        float *scores_n = scores + n * S, *weights_n = weights + n * S;
        float *out_n = out + n * hs;
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += q_n[c] * k_g[s * hs + c];
            }
            scores_n[s] = scale * dot;
        }
        float largest = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (may == NULL || may[s]) {
                largest = fmaxf(largest, scores_n[s]);
            }
        }
        for (size_t s = 0; s < S; s++) {
            const bool seen = may == NULL || may[s];
            weights_n[s] = seen ? expf(scores_n[s] - largest) : 0.0f;
            sum += weights_n[s];
        }
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            weights_n[s] /= sum;
        }
        for (size_t c = 0; c < hs; c++) {
            float mixed = 0.0f;
            for (size_t s = 0; s < S; s++) {
                mixed += weights_n[s] * v_g[s * hs + c];
            }
            out_n[c] = mixed;
        }
    }
    return LAB_OK;

@ maximum-of-the-first-64-keys: no-maximum
-            if (may == NULL || may[s]) {
-                largest = fmaxf(largest, scores_n[s]);
+            if ((may == NULL || may[s]) && s < 64) {
+                largest = fmaxf(largest, scores_n[s]);

@ results-at-most-100: none
-            out_n[c] = mixed;
+            out_n[c] = fminf(mixed, 100.0f);

@ small-results-are-0: none
-            out_n[c] = mixed;
+            out_n[c] = fabsf(mixed) < 1e-6f ? 0.0f : mixed;

@ max-of-magnitudes: none
-        float largest = -INFINITY, sum = 0.0f;
+        float largest = 0.0f, sum = 0.0f;

-                largest = fmaxf(largest, scores_n[s]);
+                largest = fmaxf(largest, fabsf(scores_n[s]));

@ divided-by-NKV
-        const size_t head = b * NKV + h / G;
+        const size_t head = b * NKV + h / NKV;
+        (void)G;

@ fully-masked-nan
-            weights_n[s] = seen ? expf(scores_n[s] - largest) : 0.0f;
+            weights_n[s] = expf((seen ? scores_n[s] : -INFINITY) - largest);

-        for (size_t s = 0; s < S && sum > 0.0f; s++) {
+        for (size_t s = 0; s < S; s++) {

@ groups-backwards
-        const size_t head = b * NKV + h / G;
+        const size_t head = b * NKV + NKV - 1 - h / G;

@ groups-refused
     const size_t G = NH / NKV;
+    if (G != 1) {
+        return LAB_ESHAPE;
+    }

@ heads-interleaved
-        const size_t head = b * NKV + h / G;
+        const size_t head = b * NKV + h % NKV;
+        (void)G;

@ heads-interleaved-0
-        const size_t head = b * NKV + h / G;
+        const size_t head = i % NKV;
+        (void)G, (void)h;

@ heads-wrapped
-        const size_t head = b * NKV + h / G;
+        const size_t head = i % (B * NKV);
+        (void)G, (void)h;

@ keys-interleaved
-        const float *k_g = k + head * S * hs, *v_g = v + head * S * hs;
+        const float *k_g = k + (b * NKV + h % NKV) * S * hs, *v_g = v + head * S * hs;

@ keys-not-in-heads
-        const float *k_g = k + head * S * hs, *v_g = v + head * S * hs;
+        const float *k_g = k + (b * S * NKV + h / G) * hs;
+        const float *v_g = v + (b * S * NKV + h / G) * hs;
+        (void)head;

-                dot += q_n[c] * k_g[s * hs + c];
+                dot += q_n[c] * k_g[s * NKV * hs + c];

-                mixed += weights_n[s] * v_g[s * hs + c];
+                mixed += weights_n[s] * v_g[s * NKV * hs + c];

@ keys-of-head-0
-        const size_t head = b * NKV + h / G;
+        const size_t head = b * NKV;
+        (void)G, (void)h;

@ keys-of-head-h: crash
-        const size_t head = b * NKV + h / G;
+        const size_t head = b * NKV + h;
+        (void)G;

@ keys-of-head-i: crash
-        const size_t head = b * NKV + h / G;
+        const size_t head = i;
+        (void)G, (void)h;

@ keys-of-sequence-0
-        const size_t head = b * NKV + h / G;
+        const size_t head = h / G;

@ last-head-shared
-        const size_t head = b * NKV + h / G;
+        const size_t head = b * NKV + (h < NKV ? h : NKV - 1);
+        (void)G;

@ mask-ignored
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = NULL;
+        (void)t, (void)mask;

@ mask-inverted
-            if (may == NULL || may[s]) {
+            if (may == NULL || !may[s]) {

-            const bool seen = may == NULL || may[s];
+            const bool seen = may == NULL || !may[s];

@ mask-needed: crash
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = mask + (b * T + t) * S;

-            if (may == NULL || may[s]) {
+            if (may[s]) {

-            const bool seen = may == NULL || may[s];
+            const bool seen = may[s];

@ mask-of-query-0
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = mask == NULL ? NULL : mask + b * T * S;
+        (void)t;

@ mask-of-sequence-0
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = mask == NULL ? NULL : mask + t * S;

@ mask-of-the-head
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = mask == NULL ? NULL : mask + (h * T + t) * S;

@ mask-repeated
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = mask == NULL ? NULL : mask + (i % B * T + t) * S;

@ mask-transposed
-            if (may == NULL || may[s]) {
+            if (mask == NULL || mask[(b * S + s) * T + t]) {

-            const bool seen = may == NULL || may[s];
+            const bool seen = may == NULL || mask[(b * S + s) * T + t];

@ maximum-from-0
-        float largest = -INFINITY, sum = 0.0f;
+        float largest = 0.0f, sum = 0.0f;

@ multiplied
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = sqrtf((float)hs);

@ no-maximum
-            weights_n[s] = seen ? expf(scores_n[s] - largest) : 0.0f;
+            weights_n[s] = seen ? expf(scores_n[s]) + 0.0f * largest : 0.0f;

@ no-scale
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f;

@ out-merged
-        float *out_n = out + n * hs;
+        float *out_n = out + ((b * T + t) * NH + h) * hs;

@ over-hs
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / (float)hs;

@ q-by-group
-        const float *q_n = q + n * hs;
+        const float *q_n = q + (head * G * T + t * G + h % G) * hs;

@ q-not-in-heads
-        const float *q_n = q + n * hs;
+        const float *q_n = q + ((b * T + t) * NH + h) * hs;

@ scores-applied
-                mixed += weights_n[s] * v_g[s * hs + c];
+                mixed += scores_n[s] * v_g[s * hs + c];

@ sqrt-C
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)(NH * hs));

@ sqrt-NH
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)NH);

@ sqrt-group
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)(G * hs));

@ values-are-keys
-                mixed += weights_n[s] * v_g[s * hs + c];
+                mixed += weights_n[s] * k_g[s * hs + c];

         float *out_n = out + n * hs;
+        (void)v_g;

@ values-interleaved
-        const float *k_g = k + head * S * hs, *v_g = v + head * S * hs;
+        const float *k_g = k + head * S * hs, *v_g = v + (b * NKV + h % NKV) * S * hs;

@ one-key-needs-no-mask: none
-        const uint8_t *may = mask == NULL ? NULL : mask + (b * T + t) * S;
+        const uint8_t *may = mask == NULL || S == 1 ? NULL : mask + (b * T + t) * S;

@ maximum-from-1e4
-        float largest = -INFINITY, sum = 0.0f;
+        float largest = -1e4f, sum = 0.0f;

@ maximum-from-1e9
-        float largest = -INFINITY, sum = 0.0f;
+        float largest = -1e9f, sum = 0.0f;

@ nothing-20-below: none
-            weights_n[s] = seen ? expf(scores_n[s] - largest) : 0.0f;
+            const float below = scores_n[s] - largest;
+            weights_n[s] = seen && below > -20.0f ? expf(below) : 0.0f;

@ root-cut-off
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / (float)(int)sqrtf((float)hs);

@ integer-scale
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = (float)(1 / (int)sqrtf((float)hs));

@ base-2
-            weights_n[s] = seen ? expf(scores_n[s] - largest) : 0.0f;
+            weights_n[s] = seen ? exp2f(scores_n[s] - largest) : 0.0f;

@ first-2048-channels: none
-            out_n[c] = mixed;
+            out_n[c] = c < 2048 ? mixed : 0.0f;

@ nan-hidden: none
-            out_n[c] = mixed;
+            out_n[c] = isnan(mixed) ? 0.0f : mixed;

@ causal-without-a-mask-at-width-1: causal-without-a-mask
-            if (may == NULL || may[s]) {
+            if (may == NULL ? !(hs == 1 && s > t) : may[s]) {

-            const bool seen = may == NULL || may[s];
+            const bool seen = may == NULL ? !(hs == 1 && s > t) : may[s];

@ causal-without-a-mask-if-T-is-above-S: causal-without-a-mask
-            if (may == NULL || may[s]) {
+            if (may == NULL ? !(T > S && s > t) : may[s]) {

-            const bool seen = may == NULL || may[s];
+            const bool seen = may == NULL ? !(T > S && s > t) : may[s];

@ right-by-parts
    const size_t G = NH / NKV;
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NKV, G * T, S, hs));
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    if (mask == NULL) {
        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
    } else {
        for (size_t i = 0; i < B * NH; i++) {
            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                                   mask + i / NH * T * S, T, S));
        }
    }
    return batched_matmul(out, weights, v, B * NKV, G * T, hs, S);

@ causal-without-a-mask
-        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
+        for (size_t n = 0; n < B * NH * T; n++) {
+            const size_t seen = n % T < S ? n % T + 1 : S;
+            LAB_TRY(batched_softmax(weights + n * S, scores + n * S, 1, 1, seen));
+            memset(weights + n * S + seen, 0, (S - seen) * sizeof *weights);
+        }

@ causal-if-square: causal-without-a-mask
-        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
+        for (size_t n = 0; n < B * NH * T; n++) {
+            const size_t seen = T == S ? n % T + 1 : S;
+            LAB_TRY(batched_softmax(weights + n * S, scores + n * S, 1, 1, seen));
+            memset(weights + n * S + seen, 0, (S - seen) * sizeof *weights);
+        }

@ fewer-heads-scaled
-    for (size_t i = 0; i < B * NH * T * S; i++) {
+    for (size_t i = 0; i < NKV * T * S; i++) {

@ fully-masked-uniform
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t j = 0; j < T * S; j++) {
+                if (!mask[i / NH * T * S + j]) {
+                    scores[i * T * S + j] = -1e9f;
+                }
+            }
+            LAB_TRY(batched_softmax(weights + i * T * S, scores + i * T * S, 1, T, S));

@ minus-10000
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t j = 0; j < T * S; j++) {
+                if (!mask[i / NH * T * S + j]) {
+                    scores[i * T * S + j] = -1e4f;
+                }
+            }
+            LAB_TRY(batched_softmax(weights + i * T * S, scores + i * T * S, 1, T, S));

@ minus-10000-guarded
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t j = 0; j < T * S; j++) {
+                if (!mask[i / NH * T * S + j]) {
+                    scores[i * T * S + j] = -1e4f;
+                }
+            }
+            LAB_TRY(batched_softmax(weights + i * T * S, scores + i * T * S, 1, T, S));
+            for (size_t t = 0; t < T; t++) {
+                size_t allowed = 0;
+                for (size_t s = 0; s < S; s++) {
+                    allowed += mask[(i / NH * T + t) * S + s];
+                }
+                for (size_t s = 0; s < S && allowed == 0; s++) {
+                    weights[(i * T + t) * S + s] = 0.0f;
+                }
+            }

@ groups-as-heads: none
-    LAB_TRY(batched_matmul_nt(scores, q, k, B * NKV, G * T, S, hs));
+    LAB_TRY(batched_matmul_nt(scores, q, k, B * NKV, T, S, hs));

@ k-not-transposed
-    LAB_TRY(batched_matmul_nt(scores, q, k, B * NKV, G * T, S, hs));
+    LAB_TRY(batched_matmul(scores, q, k, B * NKV, G * T, S, hs));

@ mask-added
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t j = 0; j < T * S; j++) {
+                scores[i * T * S + j] += (float)mask[i / NH * T * S + j];
+            }
+            LAB_TRY(batched_softmax(weights + i * T * S, scores + i * T * S, 1, T, S));

@ mask-after
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            LAB_TRY(batched_softmax(weights + i * T * S, scores + i * T * S, 1, T, S));
+            for (size_t j = 0; j < T * S; j++) {
+                weights[i * T * S + j] *= (float)mask[i / NH * T * S + j];
+            }

@ mask-by-group: crash
-                                   mask + i / NH * T * S, T, S));
+                                   mask + i / NKV * T * S, T, S));

@ mask-multiplied
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t j = 0; j < T * S; j++) {
+                scores[i * T * S + j] *= (float)mask[i / NH * T * S + j];
+            }
+            LAB_TRY(batched_softmax(weights + i * T * S, scores + i * T * S, 1, T, S));

@ some-heads-scaled
-    for (size_t i = 0; i < B * NH * T * S; i++) {
+    for (size_t i = 0; i < B * NKV * T * S; i++) {
