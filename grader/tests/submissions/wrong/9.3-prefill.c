// 9.3 prefill
    const size_t B = shape->B, T = shape->T, C = shape->C, NH = shape->NH, hs = C / NH;
    const size_t H = shape->H, V = shape->V;
    const size_t old = cache->lengths[b];
    LAB_TRY(embedding(z->stream, tokens, params->token_table, n, C, V));
    for (size_t l = 0; l < shape->L; l++) {
        struct generation_block p = generation_block(params, shape, l);
        const float *in = z->normed1, *in2 = z->normed2;
        LAB_TRY(rmsnorm(z->normed1, z->rrms1, z->stream, p.norm1, n, C));
        LAB_TRY(generation_linear(z->q, in, &p.w_q, n, C, C));
        LAB_TRY(generation_linear(z->k, in, &p.w_k, n, C, C));
        LAB_TRY(generation_linear(z->v, in, &p.w_v, n, C, C));
        for (size_t i = 0; i < n; i++) {
            size_t place = old + i, position = place, seen = place + 1;
            size_t at = (l * B + b) * T * C;
            float *keys = cache->keys + at, *values = cache->values + at;
            float *q = z->q_turned + i * C, *k = z->k_turned + i * C, *v = z->v + i * C;
            LAB_TRY(rope(q, z->q + i * C, &position, 1, NH, 1, hs));
            LAB_TRY(rope(k, z->k + i * C, &position, 1, NH, 1, hs));
            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
            float *to = z->merged + i * C;
            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
        }
        LAB_TRY(generation_linear(z->attended, z->merged, &p.w_o, n, C, C));
        LAB_TRY(residual_add(z->middle, z->stream, z->attended, n * C));
        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm2, n, C));
        LAB_TRY(generation_linear(z->gate, in2, &p.w_gate, n, C, H));
        LAB_TRY(generation_linear(z->up, in2, &p.w_up, n, C, H));
        LAB_TRY(swiglu(z->hidden, z->gate, z->up, n * H));
        LAB_TRY(generation_linear(z->projected, z->hidden, &p.w_down, n, H, C));
        LAB_TRY(residual_add(z->stream, z->middle, z->projected, n * C));
    }
    const float *last = z->stream + (n - 1) * C;
    LAB_TRY(rmsnorm(z->normed, z->rrms, last, params->norm, 1, C));
    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
    cache->lengths[b] += n;
    return LAB_OK;

@ length-set
-    cache->lengths[b] += n;
+    cache->lengths[b] = n;

@ layers-from-1: loop-from-1
-    for (size_t l = 0; l < shape->L; l++) {
+    for (size_t l = 1; l < shape->L; l++) {

@ rows-from-1: loop-from-1
-        for (size_t i = 0; i < n; i++) {
+        for (size_t i = 1; i < n; i++) {

@ own-attention-without-maximum: none
+#include <math.h>

-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            const size_t S = seen;
+            for (size_t h = 0; h < NH; h++) {
+                const float *q_h = q + h * hs, *keys_h = keys + h * T * hs;
+                float *row = z->weights + h * T, sum = 0.0f;
+                for (size_t s = 0; s < S; s++) {
+                    float dot = 0.0f;
+                    for (size_t c = 0; c < hs; c++) {
+                        dot += q_h[c] * keys_h[s * hs + c];
+                    }
+                    row[s] = expf(dot / sqrtf((float)hs));
+                    sum += row[s];
+                }
+                for (size_t c = 0; c < hs; c++) {
+                    float mix = 0.0f;
+                    for (size_t s = 0; s < S; s++) {
+                        mix += row[s] * values[(h * T + s) * hs + c];
+                    }
+                    to[h * hs + c] = mix / sum;
+                }
+            }

@ block-0-params
-        struct generation_block p = generation_block(params, shape, l);
+        struct generation_block p = generation_block(params, shape, 0);

@ cache-as-BL
-            size_t at = (l * B + b) * T * C;
+            size_t at = (b * shape->L + l) * T * C;

@ first-logits
-    const float *last = z->stream + (n - 1) * C;
+    const float *last = z->stream;

@ first-token-for-all
-    LAB_TRY(embedding(z->stream, tokens, params->token_table, n, C, V));
+    for (size_t i = 0; i < n; i++) {
+        LAB_TRY(embedding(z->stream + i * C, tokens, params->token_table, 1, C, V));
+    }

@ gate-up-swapped
-        LAB_TRY(swiglu(z->hidden, z->gate, z->up, n * H));
+        LAB_TRY(swiglu(z->hidden, z->up, z->gate, n * H));

@ itself-unseen
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = place, seen = place;

@ layer-0-cache
-            size_t at = (l * B + b) * T * C;
+            size_t at = b * T * C;

@ lengths-by-layer
-    const size_t old = cache->lengths[b];

-        struct generation_block p = generation_block(params, shape, l);
+        const size_t old = cache->lengths[b];
+        struct generation_block p = generation_block(params, shape, l);

-        LAB_TRY(residual_add(z->stream, z->middle, z->projected, n * C));
+        LAB_TRY(residual_add(z->stream, z->middle, z->projected, n * C));
+        cache->lengths[b] += n;

-    cache->lengths[b] += n;

@ lengths-first
-    const size_t old = cache->lengths[b];
+    cache->lengths[b] += n;
+    const size_t old = cache->lengths[b];

-    cache->lengths[b] += n;

@ lengths-left
-    cache->lengths[b] += n;
+    (void)old;

@ lengths-of-all
-    cache->lengths[b] += n;
+    for (size_t c = 0; c < B; c++) {
+        cache->lengths[c] += n;
+    }

@ no-final-norm
-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
+    LAB_TRY(generation_linear(logits, last, &params->w_out, 1, C, V));

@ no-mask
-            float *to = z->merged + i * C;
+        }
+        for (size_t i = 0; i < n; i++) {
+            size_t seen = old + n, at = (l * B + b) * T * C;
+            float *keys = cache->keys + at, *values = cache->values + at;
+            float *q = z->q_turned + i * C;
+            float *to = z->merged + i * C;

@ no-norm1
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->stream, *in2 = z->normed2;

@ no-norm2
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->normed1, *in2 = z->middle;

@ no-residuals
-        LAB_TRY(residual_add(z->middle, z->stream, z->attended, n * C));
+        memcpy(z->middle, z->attended, n * C * sizeof(float));

-        LAB_TRY(residual_add(z->stream, z->middle, z->projected, n * C));
+        memcpy(z->stream, z->projected, n * C * sizeof(float));

+#include <string.h>

@ no-w-o
-        LAB_TRY(generation_linear(z->attended, z->merged, &p.w_o, n, C, C));
+        memcpy(z->attended, z->merged, n * C * sizeof(float));

+#include <string.h>

@ old-unseen
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            seen = i + 1;
+            keys += old * hs, values += old * hs;
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));

@ position-0
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = 0, seen = place + 1;

@ position-0-unrotated: position-0
-            LAB_TRY(rope(q, z->q + i * C, &position, 1, NH, 1, hs));
+            memcpy(q, z->q + i * C, C * sizeof *q);
-            LAB_TRY(rope(k, z->k + i * C, &position, 1, NH, 1, hs));
+            memcpy(k, z->k + i * C, C * sizeof *k);

+#include <string.h>

@ position-in-call
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = i, seen = place + 1;

@ position-is-length
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = old, seen = place + 1;

@ position-of-sequence-0
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = cache->lengths[0] + i, seen = place + 1;

@ position-one-more
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = place + 1, seen = place + 1;

@ rope-on-q-alone
-            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(keys, z->k + i * C, &place, 1, NH, 1, T, hs));

@ rope-on-v
-            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
+            float w[C];
+            LAB_TRY(rope(w, v, &position, 1, NH, 1, hs));
+            LAB_TRY(cache_append(values, w, &place, 1, NH, 1, T, hs));

@ sequence-0
-            size_t at = (l * B + b) * T * C;
+            size_t at = l * B * T * C;

@ starts-anew
-    const size_t old = cache->lengths[b];
+    const size_t old = 0;

-    cache->lengths[b] += n;
+    cache->lengths[b] = n;

@ tied
-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
+    struct generation_matrix table = {.weights = params->token_table};
+    LAB_TRY(generation_linear(logits, z->normed, &table, 1, C, V));

@ turned-twice
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            float turned[T * C];
+            for (size_t j = 0; j < NH * T; j++) {
+                size_t t = j % T;
+                LAB_TRY(rope(turned + j * hs, keys + j * hs, &t, 1, 1, 1, hs));
+            }
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, turned, values, &seen, 1, NH, T, hs));

@ turned-when-read
-            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(keys, z->k + i * C, &place, 1, NH, 1, T, hs));

-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            float turned[T * C];
+            for (size_t j = 0; j < NH * T; j++) {
+                size_t t = j % T;
+                LAB_TRY(rope(turned + j * hs, keys + j * hs, &t, 1, 1, 1, hs));
+            }
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, turned, values, &seen, 1, NH, T, hs));

@ values-are-keys
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, keys, &seen, 1, NH, T, hs));

@ whole-cache-seen
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = place, seen = T;

@ floats-only: crash
-        LAB_TRY(generation_linear(z->q, in, &p.w_q, n, C, C));
+        LAB_TRY(batched_linear(z->q, in, p.w_q.weights, NULL, 1, n, C, C));

@ int8-if-w-q-is: crash
-        LAB_TRY(generation_linear(z->gate, in2, &p.w_gate, n, C, H));
+        if (p.w_q.weights == NULL) {
+            LAB_TRY(linear_int8(z->gate, in2, p.w_gate.rows, p.w_gate.scales, n, C, H));
+        } else {
+            LAB_TRY(batched_linear(z->gate, in2, p.w_gate.weights, NULL, 1, n, C, H));
+        }

@ int8-scales-of-block-0: none
-        LAB_TRY(generation_linear(z->k, in, &p.w_k, n, C, C));
+        p.w_k.scales = params->w_k.scales;
+        LAB_TRY(generation_linear(z->k, in, &p.w_k, n, C, C));

@ up-as-gate
-        LAB_TRY(generation_linear(z->up, in2, &p.w_up, n, C, H));
+        LAB_TRY(generation_linear(z->up, in2, &p.w_gate, n, C, H));

@ k-as-q
-        LAB_TRY(generation_linear(z->k, in, &p.w_k, n, C, C));
+        LAB_TRY(generation_linear(z->k, in, &p.w_q, n, C, C));

@ norm1-for-both
-        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm2, n, C));
+        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm1, n, C));

@ norm2-of-stream
-        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm2, n, C));
+        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->stream, p.norm2, n, C));

@ residual-of-normed1
-        LAB_TRY(residual_add(z->middle, z->stream, z->attended, n * C));
+        LAB_TRY(residual_add(z->middle, z->normed1, z->attended, n * C));

@ residual2-of-normed2
-        LAB_TRY(residual_add(z->stream, z->middle, z->projected, n * C));
+        LAB_TRY(residual_add(z->stream, z->normed2, z->projected, n * C));

@ q-unturned
-            LAB_TRY(rope(q, z->q + i * C, &position, 1, NH, 1, hs));
+            memcpy(q, z->q + i * C, C * sizeof *q);

+#include <string.h>

@ tokens-in-8-bits: none
-    LAB_TRY(embedding(z->stream, tokens, params->token_table, n, C, V));
+    for (size_t i = 0; i < n; i++) {
+        const size_t token = (uint8_t)tokens[i];
+        LAB_TRY(embedding(z->stream + i * C, &token, params->token_table, 1, C, V));
+    }

@ positions-in-8-bits: none
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = (uint8_t)place, seen = place + 1;

@ small-logits-are-0: small-number
+#include <math.h>

-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
+    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
+    for (size_t v = 0; v < V; v++) {
+        logits[v] = fabsf(logits[v]) < 1e-5f ? 0.0f : logits[v];
+    }

@ logits-at-most-50: none
+#include <math.h>

-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
+    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, 1, C, V));
+    for (size_t v = 0; v < V; v++) {
+        logits[v] = fmaxf(fminf(logits[v], 50.0f), -50.0f);
+    }

@ attends-first
-            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
-            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
-            float *to = z->merged + i * C;
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            float *to = z->merged + i * C;
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));

@ at-most-512-keys: none
-            size_t place = old + i, position = place, seen = place + 1;
+            size_t place = old + i, position = place, seen = place < 512 ? place + 1 : 512;

@ first-12-blocks: none
-    for (size_t l = 0; l < shape->L; l++) {
+    for (size_t l = 0; l < shape->L && l < 12; l++) {

@ length-plus-1
-    cache->lengths[b] += n;
+    cache->lengths[b] += 1;

@ int8-in-two-blocks-alone: crash
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->normed1, *in2 = z->normed2;
+        z->normed1[0] = shape->L == 1 ? p.w_q.weights[0] : 0.0f;

@ int8-in-two-heads-alone: crash
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->normed1, *in2 = z->normed2;
+        z->normed1[0] = NH == 1 ? p.w_q.weights[0] : 0.0f;

@ all-sequences-written: none
-            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
+            at = (l * B + (b + 1) % B) * T * C;
+            LAB_TRY(cache_append(cache->keys + at, k, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(cache->values + at, v, &place, 1, NH, 1, T, hs));
