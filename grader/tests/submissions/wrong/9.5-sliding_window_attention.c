// 9.5 sliding_window_attention
    for (size_t j = 0; j < B * NH; j++) {
        const size_t b = j / NH, length = lengths[b];
        const size_t first = length > W ? length - W : 0, S = length - first;
        const float *keys_j = keys + j * W * hs, *values_j = values + j * W * hs;
        float *scores_j = scores + j * W, *weights_j = weights + j * W;
        const float scale = 1.0f / sqrtf((float)hs);
        for (size_t i = 0; i < S; i++) {
            const float *key = keys_j + (first + i) % W * hs;
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += q[j * hs + c] * key[c];
            }
            scores_j[i] = scale * dot;
        }
        float largest = scores_j[0], sum = 0.0f;
        for (size_t i = 1; i < S; i++) {
            largest = fmaxf(largest, scores_j[i]);
        }
        for (size_t i = 0; i < S; i++) {
            weights_j[i] = expf(scores_j[i] - largest);
            sum += weights_j[i];
        }
        for (size_t i = 0; i < S; i++) {
            weights_j[i] /= sum;
        }
        for (size_t i = S; i < W; i++) {
            weights_j[i] = 0.0f;
        }
        for (size_t c = 0; c < hs; c++) {
            float mixed = 0.0f;
            for (size_t i = 0; i < S; i++) {
                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
            }
            out[j * hs + c] = mixed;
        }
    }
    return LAB_OK;

@ maximum-of-the-first-64-keys: none
-        for (size_t i = 1; i < S; i++) {
+        for (size_t i = 1; i < S && i < 64; i++) {

@ channels-from-1: loop-from-1
-        for (size_t c = 0; c < hs; c++) {
+        for (size_t c = 1; c < hs; c++) {
             float mixed = 0.0f;

@ results-at-most-100: none
-            out[j * hs + c] = mixed;
+            out[j * hs + c] = fminf(mixed, 100.0f);

@ small-results-are-0: none
-            out[j * hs + c] = mixed;
+            out[j * hs + c] = fabsf(mixed) < 1e-6f ? 0.0f : mixed;

@ max-of-magnitudes: none
-        float largest = scores_j[0], sum = 0.0f;
+        float largest = fabsf(scores_j[0]), sum = 0.0f;

-            largest = fmaxf(largest, scores_j[i]);
+            largest = fmaxf(largest, fabsf(scores_j[i]));

@ added-to-out
-            out[j * hs + c] = mixed;
+            out[j * hs + c] += mixed;

@ all-rows
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length > W ? length - W : 0, S = W;

@ all-rows-in-row-order
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = 0, S = W;

         const float scale = 1.0f / sqrtf((float)hs);
+        (void)length;

@ clamped-length: in-row-order
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = 0, S = length < W ? length : W;

@ first-too-early
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length > W ? length - W - 1 : 0;
+        const size_t S = length > W ? W : length;

@ first-too-late
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length > W ? length - W + 1 : 0, S = length - first;
+        if (S == 0) {
+            return LAB_ESHAPE;
+        }

@ in-row-order
-            const float *key = keys_j + (first + i) % W * hs;
+            const float *key = keys_j + i * hs;

-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[i] * values_j[i * hs + c];

@ keys-in-row-order
-            const float *key = keys_j + (first + i) % W * hs;
+            const float *key = keys_j + i * hs;

@ keys-of-head-0
-        const float *keys_j = keys + j * W * hs, *values_j = values + j * W * hs;
+        const float *keys_j = keys + b * NH * W * hs, *values_j = values + b * NH * W * hs;

@ keys-of-sequence-0
-        const float *keys_j = keys + j * W * hs, *values_j = values + j * W * hs;
+        const float *keys_j = keys + j % NH * W * hs, *values_j = values + j % NH * W * hs;

@ length-of-sequence-0
-        const size_t b = j / NH, length = lengths[b];
+        const size_t length = lengths[0];

@ length-of-the-head
-        const size_t b = j / NH, length = lengths[b];
+        const size_t length = lengths[j % NH % B];

@ longer-refused
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = 0, S = length;
+        for (size_t a = 0; a < B; a++) {
+            if (lengths[a] > W) {
+                return LAB_ESHAPE;
+            }
+        }

@ maximum-from-0
-        float largest = scores_j[0], sum = 0.0f;
-        for (size_t i = 1; i < S; i++) {
+        float largest = 0.0f, sum = 0.0f;
+        for (size_t i = 0; i < S; i++) {

@ multiplied
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = sqrtf((float)hs);

@ newest-counted-twice
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length + 1 > W ? length + 1 - W : 0, S = length + 1 - first;

@ newest-first
-            scores_j[i] = scale * dot;
+            scores_j[S - 1 - i] = scale * dot;

-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[S - 1 - i] * values_j[(first + i) % W * hs + c];

@ newest-not-seen
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length > W ? length - W : 0, S = length - first - 1;
+        if (S == 0) {
+            return LAB_ESHAPE;
+        }

@ newest-only
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length - 1, S = 1;

@ no-maximum
-            weights_j[i] = expf(scores_j[i] - largest);
+            weights_j[i] = expf(scores_j[i]) + 0.0f * largest;

@ no-modulo: crash
-            const float *key = keys_j + (first + i) % W * hs;
+            const float *key = keys_j + (first + i) * hs;

-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[i] * values_j[(first + i) * hs + c];

@ no-scale
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f;

@ not-divided
-        for (size_t i = 0; i < S; i++) {
-            weights_j[i] /= sum;
-        }

-            out[j * hs + c] = mixed;
-        }
+            out[j * hs + c] = mixed;
+        }
+        for (size_t i = 0; i < S; i++) {
+            weights_j[i] /= sum;
+        }

@ oldest-at-length
-            const float *key = keys_j + (first + i) % W * hs;
+            const float *key = keys_j + (length + i) % W * hs;

-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[i] * values_j[(length + i) % W * hs + c];

@ oldest-only
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length > W ? length - W : 0, S = 1;

@ over-hs
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / (float)hs;

@ position-in-32-bits
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const unsigned first = length > W ? (unsigned)(length - W) : 0;
+        const size_t S = length > W ? W : length;

@ position-in-float
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const float place = (float)length - (float)W;
+        const size_t first = length > W ? (size_t)place : 0, S = length > W ? W : length;

@ position-in-double: none
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const double place = (double)length - (double)W;
+        const size_t first = length > W ? (size_t)place : 0, S = length > W ? W : length;

@ ring-not-in-heads
-        const float *keys_j = keys + j * W * hs, *values_j = values + j * W * hs;
+        const float *keys_j = keys + (b * W * NH + j % NH) * hs;
+        const float *values_j = values + (b * W * NH + j % NH) * hs;

-            const float *key = keys_j + (first + i) % W * hs;
+            const float *key = keys_j + (first + i) % W * NH * hs;

-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[i] * values_j[(first + i) % W * NH * hs + c];

@ scores-applied
-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += scores_j[i] * values_j[(first + i) % W * hs + c];

@ sqrt-C
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / sqrtf((float)(NH * hs));

@ sqrt-W
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / sqrtf((float)W);

@ tail-not-written
-        for (size_t i = S; i < W; i++) {
-            weights_j[i] = 0.0f;
-        }

@ tail-nearly-0: unreached-rows-do-not-matter
-            weights_j[i] = 0.0f;
+            weights_j[i] = 1e-9f;

@ values-are-keys
-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[i] * keys_j[(first + i) % W * hs + c];

         const float scale = 1.0f / sqrtf((float)hs);
+        (void)values_j;

@ values-in-row-order
-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[i] * values_j[i * hs + c];

@ weights-in-rows: in-row-order
-            scores_j[i] = scale * dot;
+            scores_j[(first + i) % W] = scale * dot;

-                mixed += weights_j[i] * values_j[(first + i) % W * hs + c];
+                mixed += weights_j[(first + i) % W] * values_j[(first + i) % W * hs + c];

@ window-of-one-less: first-too-late
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        if (W == 1 && length > W) {
+            return LAB_ESHAPE;
+        }
+        const size_t first = length > W ? length - (W - 1) : 0, S = length - first;

@ maximum-from-1e4
-        float largest = scores_j[0], sum = 0.0f;
-        for (size_t i = 1; i < S; i++) {
+        float largest = -1e4f, sum = 0.0f;
+        for (size_t i = 0; i < S; i++) {

@ maximum-from-1e9
-        float largest = scores_j[0], sum = 0.0f;
-        for (size_t i = 1; i < S; i++) {
+        float largest = -1e9f, sum = 0.0f;
+        for (size_t i = 0; i < S; i++) {

@ nothing-20-below: none
-            weights_j[i] = expf(scores_j[i] - largest);
+            const float below = scores_j[i] - largest;
+            weights_j[i] = (below < -20.0f ? 0.0f : expf(below));

@ root-cut-off
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = 1.0f / (float)(int)sqrtf((float)hs);

@ integer-scale
-        const float scale = 1.0f / sqrtf((float)hs);
+        const float scale = (float)(1 / (int)sqrtf((float)hs));

@ base-2
-            weights_j[i] = expf(scores_j[i] - largest);
+            weights_j[i] = exp2f(scores_j[i] - largest);

@ at-most-2048-keys: none
-        const size_t first = length > W ? length - W : 0, S = length - first;
+        const size_t first = length > W ? length - W : 0;
+        const size_t S = length - first < 2048 ? length - first : 2048;

@ nan-hidden: none
-            out[j * hs + c] = mixed;
+            out[j * hs + c] = isnan(mixed) ? 0.0f : mixed;

@ tail-left-at-width-1: tail-not-written
-        for (size_t i = S; i < W; i++) {
+        for (size_t i = S; i < W && hs > 1; i++) {

@ tail-of-128: none
-        for (size_t i = S; i < W; i++) {
+        for (size_t i = S; i < W && i < 128; i++) {
