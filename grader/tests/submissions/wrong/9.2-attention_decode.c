// 9.2 attention_decode
    for (size_t i = 0; i < B * NH; i++) {
        const size_t b = i / NH, S = lengths[b];
        const float *q_i = q + i * hs;
        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
        float *scores_i = scores + i * T_max, *weights_i = weights + i * T_max;
        float *out_i = out + i * hs;
        const float scale = 1.0f / sqrtf((float)hs);
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += q_i[c] * keys_i[s * hs + c];
            }
            scores_i[s] = scale * dot;
        }
        float largest = scores_i[0], sum = 0.0f;
        for (size_t s = 1; s < S; s++) {
            largest = fmaxf(largest, scores_i[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights_i[s] = expf(scores_i[s] - largest);
            sum += weights_i[s];
        }
        for (size_t s = 0; s < S; s++) {
            weights_i[s] /= sum;
        }
        for (size_t s = S; s < T_max; s++) {
            weights_i[s] = 0.0f;
        }
        for (size_t c = 0; c < hs; c++) {
            float mixed = 0.0f;
            for (size_t s = 0; s < S; s++) {
                mixed += weights_i[s] * values_i[s * hs + c];
            }
            out_i[c] = mixed;
        }
    }
    return LAB_OK;

@ maximum-of-the-first-64-keys: none
-        for (size_t s = 1; s < S; s++) {
-            largest = fmaxf(largest, scores_i[s]);
+        for (size_t s = 1; s < S && s < 64; s++) {
+            largest = fmaxf(largest, scores_i[s]);

@ length-in-16-bits: none
-        const size_t b = i / NH, S = lengths[b];
+        const size_t b = i / NH, S = (unsigned short)lengths[b];

@ heads-from-1: loop-from-1
-    for (size_t i = 0; i < B * NH; i++) {
+    for (size_t i = 1; i < B * NH; i++) {

@ channels-from-1: loop-from-1
-        for (size_t c = 0; c < hs; c++) {
+        for (size_t c = 1; c < hs; c++) {
             float mixed = 0.0f;

@ results-at-most-100: none
-            out_i[c] = mixed;
+            out_i[c] = fminf(mixed, 100.0f);

@ small-results-are-0: none
-            out_i[c] = mixed;
+            out_i[c] = fabsf(mixed) < 1e-6f ? 0.0f : mixed;

@ max-of-magnitudes: none
-        float largest = scores_i[0], sum = 0.0f;
+        float largest = fabsf(scores_i[0]), sum = 0.0f;

-            largest = fmaxf(largest, scores_i[s]);
+            largest = fmaxf(largest, fabsf(scores_i[s]));

@ equal-weights-past-1024-keys: none
-            weights_i[s] /= sum;
+            weights_i[s] = S > 1024 ? 1.0f / (float)S : weights_i[s] / sum;

@ length-of-i-mod-B
-        const size_t b = i / NH, S = lengths[b];
+        const size_t b = i % B, S = lengths[b];

@ all-rows
-        const size_t b = i / NH, S = lengths[b];
+        const size_t S = T_max;

@ cache-not-in-heads
-        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
+        const float *keys_i = keys + (b * T_max * NH + i % NH) * hs;
+        const float *values_i = values + (b * T_max * NH + i % NH) * hs;

-                dot += q_i[c] * keys_i[s * hs + c];
+                dot += q_i[c] * keys_i[s * NH * hs + c];

-                mixed += weights_i[s] * values_i[s * hs + c];
+                mixed += weights_i[s] * values_i[s * NH * hs + c];

@ cache-packed
-        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
+        const float *keys_i = keys + i * S * hs, *values_i = values + i * S * hs;

@ cache-packed-by-functions
    for (size_t i = 0; i < B * NH; i++) {
        const size_t S = lengths[i / NH];
        float *scores_i = scores + i * T_max, *weights_i = weights + i * T_max;
        LAB_TRY(matmul_nt(scores_i, q + i * hs, keys + i * S * hs, 1, S, hs));
        for (size_t s = 0; s < S; s++) {
            scores_i[s] /= sqrtf((float)hs);
        }
        LAB_TRY(batched_softmax(weights_i, scores_i, 1, 1, S));
        for (size_t s = S; s < T_max; s++) {
            weights_i[s] = 0.0f;
        }
        LAB_TRY(matmul(out + i * hs, weights_i, values + i * S * hs, 1, hs, S));
    }
    return LAB_OK;

@ heads-first
-        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
+        const float *keys_i = keys + (i % NH * B + b) * T_max * hs;
+        const float *values_i = values + (i % NH * B + b) * T_max * hs;

@ keys-are-values
-                dot += q_i[c] * keys_i[s * hs + c];
+                dot += q_i[c] * values_i[s * hs + c];

         for (size_t s = 0; s < S; s++) {
             float dot = 0.0f;
+            (void)keys_i;

@ keys-of-head-0
-        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
+        const float *keys_i = keys + b * NH * T_max * hs;
+        const float *values_i = values + b * NH * T_max * hs;

@ keys-of-sequence-0
-        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
+        const float *keys_i = keys + i % NH * T_max * hs;
+        const float *values_i = values + i % NH * T_max * hs;

@ length-of-sequence-0
-        const size_t b = i / NH, S = lengths[b];
+        const size_t S = lengths[0];

@ length-of-the-head
-        const size_t b = i / NH, S = lengths[b];
+        const size_t S = lengths[i % NH % B];

@ masked-before-and-summed-after: zero-times-nan
-            for (size_t s = 0; s < S; s++) {
-                mixed += weights_i[s] * values_i[s * hs + c];
+            for (size_t s = 0; s < T_max; s++) {
+                mixed += weights_i[s] * values_i[s * hs + c];

@ maximum-from-0
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
+        float largest = 0.0f, sum = 0.0f;
+        for (size_t s = 0; s < S; s++) {

@ multiplied
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = sqrtf((float)hs);

@ newest-never-counted: none
-        float largest = scores_i[0], sum = 0.0f;
+        float largest = scores_i[0], sum = -1.0f;

@ no-maximum
-            weights_i[s] = expf(scores_i[s] - largest);
+            weights_i[s] = expf(scores_i[s]) + 0.0f * largest;

@ no-maximum-guarded
-            weights_i[s] = expf(scores_i[s] - largest);
+            weights_i[s] = expf(scores_i[s]) + 0.0f * largest;

-            weights_i[s] /= sum;
+            weights_i[s] = sum > 0.0f ? weights_i[s] / sum : 0.0f;

@ no-maximum-in-double
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
-            largest = fmaxf(largest, scores_i[s]);
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] = expf(scores_i[s] - largest);
-            sum += weights_i[s];
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] /= sum;
+        double sum = 0.0;
+        for (size_t s = 0; s < S; s++) {
+            sum += exp(scores_i[s]);
+        }
+        for (size_t s = 0; s < S; s++) {
+            weights_i[s] = exp(scores_i[s]) / sum;

@ no-maximum-in-double-guarded
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
-            largest = fmaxf(largest, scores_i[s]);
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] = expf(scores_i[s] - largest);
-            sum += weights_i[s];
-        }
-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] /= sum;
+        double sum = 0.0;
+        for (size_t s = 0; s < S; s++) {
+            sum += exp(scores_i[s]);
+        }
+        for (size_t s = 0; s < S; s++) {
+            weights_i[s] = sum > 0.0 ? exp(scores_i[s]) / sum : 0.0;

@ no-scale
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f;

@ not-divided
-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] /= sum;
-        }

-            out_i[c] = mixed;
-        }
+            out_i[c] = mixed;
+        }
+        for (size_t s = 0; s < S; s++) {
+            weights_i[s] /= sum;
+        }

@ oldest-only
-        const size_t b = i / NH, S = lengths[b];
+        const size_t S = 1;

@ one-row-too-many
-        const size_t b = i / NH, S = lengths[b];
+        const size_t b = i / NH, S = lengths[b] + 1;

@ out-heads-first
-        float *out_i = out + i * hs;
+        float *out_i = out + (i % NH * B + b) * hs;

@ over-hs
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / (float)hs;

@ score-0-behind
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
+        float largest = scores_i[0], sum = 0.0f;
+        for (size_t s = S; s < T_max; s++) {
+            scores_i[s] = 0.0f;
+        }
+        for (size_t s = 1; s < T_max; s++) {

-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] = expf(scores_i[s] - largest);
+        for (size_t s = 0; s < T_max; s++) {
+            weights_i[s] = expf(scores_i[s] - largest);

-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] /= sum;
-        }
-        for (size_t s = S; s < T_max; s++) {
-            weights_i[s] = 0.0f;
-        }
+        for (size_t s = 0; s < T_max; s++) {
+            weights_i[s] /= sum;
+        }

-            for (size_t s = 0; s < S; s++) {
-                mixed += weights_i[s] * values_i[s * hs + c];
+            for (size_t s = 0; s < T_max; s++) {
+                mixed += weights_i[s] * values_i[s * hs + c];

@ scores-applied
-                mixed += weights_i[s] * values_i[s * hs + c];
+                mixed += scores_i[s] * values_i[s * hs + c];

@ sqrt-C
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / sqrtf((float)(NH * hs));

@ sqrt-NH
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / sqrtf((float)NH);

@ sqrt-T
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / sqrtf((float)T_max);

@ sqrt-length
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / sqrtf((float)S);

@ tail-not-written
-        for (size_t s = S; s < T_max; s++) {
-            weights_i[s] = 0.0f;
-        }

@ values-are-keys
-                mixed += weights_i[s] * values_i[s * hs + c];
+                mixed += weights_i[s] * keys_i[s * hs + c];

         for (size_t c = 0; c < hs; c++) {
             float mixed = 0.0f;
+            (void)values_i;

@ values-not-in-heads
-        const float *keys_i = keys + i * T_max * hs, *values_i = values + i * T_max * hs;
+        const float *keys_i = keys + i * T_max * hs;
+        const float *values_i = values + (b * T_max * NH + i % NH) * hs;

-                mixed += weights_i[s] * values_i[s * hs + c];
+                mixed += weights_i[s] * values_i[s * NH * hs + c];

@ weights-not-divided
-        for (size_t s = 0; s < S; s++) {
-            weights_i[s] /= sum;
-        }

-            out_i[c] = mixed;
+            out_i[c] = mixed / sum;

@ weights-packed
-        float *scores_i = scores + i * T_max, *weights_i = weights + i * T_max;
+        float *scores_i = scores + i * T_max, *weights_i = weights + i * S;

@ zero-times-nan
-            for (size_t s = 0; s < S; s++) {
-                mixed += weights_i[s] * values_i[s * hs + c];
+            for (size_t s = 0; s < T_max; s++) {
+                mixed += weights_i[s] * values_i[s * hs + c];

@ last-of-whole-blocks: none
-                mixed += weights_i[s] * values_i[s * hs + c];
+                mixed += s < (S - 1) / 64 * 64 + S % 64 ? weights_i[s] * values_i[s * hs + c] : 0.0f;

@ maximum-from-1e4
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
+        float largest = -10000.0f, sum = 0.0f;
+        for (size_t s = 0; s < S; s++) {

@ maximum-from-1e9
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
+        float largest = -1e9f, sum = 0.0f;
+        for (size_t s = 0; s < S; s++) {

@ maximum-from-1e30: maximum-from-1e9
-        float largest = scores_i[0], sum = 0.0f;
-        for (size_t s = 1; s < S; s++) {
+        float largest = -1e30f, sum = 0.0f;
+        for (size_t s = 0; s < S; s++) {

@ nothing-20-below: none
-            weights_i[s] = expf(scores_i[s] - largest);
+            const float below = scores_i[s] - largest;
+            weights_i[s] = (below < -20.0f ? 0.0f : expf(below));

@ root-cut-off
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / (float)(int)sqrtf((float)hs);

@ integer-scale
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = (float)(1 / (int)sqrtf((float)hs));

@ base-2
-            weights_i[s] = expf(scores_i[s] - largest);
+            weights_i[s] = exp2f(scores_i[s] - largest);

@ eps-in-the-sum: small-number
-            weights_i[s] /= sum;
+            weights_i[s] /= sum + 1e-5f;

@ first-2048-channels: none
-            out_i[c] = mixed;
+            out_i[c] = c < 2048 ? mixed : 0.0f;

@ first-1024-heads: none
-    for (size_t i = 0; i < B * NH; i++) {
+    for (size_t i = 0; i < B * NH && i < 1024; i++) {

@ nan-hidden: none
-            out_i[c] = mixed;
+            out_i[c] = isnan(mixed) ? 0.0f : mixed;

@ right-by-parts
    for (size_t i = 0; i < B * NH; i++) {
        const size_t S = lengths[i / NH];
        float *scores_i = scores + i * T_max, *weights_i = weights + i * T_max;
        LAB_TRY(matmul_nt(scores_i, q + i * hs, keys + i * T_max * hs, 1, S, hs));
        for (size_t s = 0; s < S; s++) {
            scores_i[s] /= sqrtf((float)hs);
        }
        LAB_TRY(batched_softmax(weights_i, scores_i, 1, 1, S));
        memset(weights_i + S, 0, (T_max - S) * sizeof *weights);
        LAB_TRY(matmul(out + i * hs, weights_i, values + i * T_max * hs, 1, hs, S));
    }
    return LAB_OK;

@ a-length-kept: kept-between-calls
-        const size_t S = lengths[i / NH];
+        static size_t kept;
+        kept = kept < lengths[i / NH] ? lengths[i / NH] : kept;
+        const size_t S = kept > T_max ? T_max : kept;

@ k-not-transposed
-        LAB_TRY(matmul_nt(scores_i, q + i * hs, keys + i * T_max * hs, 1, S, hs));
+        LAB_TRY(matmul(scores_i, q + i * hs, keys + i * T_max * hs, 1, S, hs));

@ newest-not-seen
-        const size_t S = lengths[i / NH];
+        const size_t S = lengths[i / NH] - 1;

@ none-of-the-tail: tail-not-written
-        memset(weights_i + S, 0, (T_max - S) * sizeof *weights);

@ tail-in-bytes: elements-as-bytes
-        memset(weights_i + S, 0, (T_max - S) * sizeof *weights);
+        memset(weights_i + S, 0, T_max - S);

@ tail-of-bytes-of-1: rows-behind-do-not-matter
-        memset(weights_i + S, 0, (T_max - S) * sizeof *weights);
+        memset(weights_i + S, 1, (T_max - S) * sizeof *weights);
