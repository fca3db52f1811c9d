// 9.3 decode_step
    const size_t B = shape->B, T = shape->T, C = shape->C, NH = shape->NH, hs = C / NH;
    const size_t H = shape->H, V = shape->V;
    LAB_TRY(embedding(z->stream, tokens, params->token_table, B, C, V));
    for (size_t l = 0; l < shape->L; l++) {
        struct generation_block p = generation_block(params, shape, l);
        const float *in = z->normed1, *in2 = z->normed2;
        LAB_TRY(rmsnorm(z->normed1, z->rrms1, z->stream, p.norm1, B, C));
        LAB_TRY(generation_linear(z->q, in, &p.w_q, B, C, C));
        LAB_TRY(generation_linear(z->k, in, &p.w_k, B, C, C));
        LAB_TRY(generation_linear(z->v, in, &p.w_v, B, C, C));
        for (size_t b = 0; b < B; b++) {
            size_t place = cache->lengths[b], position = place, seen = place + 1;
            size_t at = (l * B + b) * T * C;
            float *keys = cache->keys + at, *values = cache->values + at;
            float *q = z->q_turned + b * C, *k = z->k_turned + b * C, *v = z->v + b * C;
            LAB_TRY(rope(q, z->q + b * C, &position, 1, NH, 1, hs));
            LAB_TRY(rope(k, z->k + b * C, &position, 1, NH, 1, hs));
            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
            float *to = z->merged + b * C;
            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
        }
        LAB_TRY(generation_linear(z->attended, z->merged, &p.w_o, B, C, C));
        LAB_TRY(residual_add(z->middle, z->stream, z->attended, B * C));
        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm2, B, C));
        LAB_TRY(generation_linear(z->gate, in2, &p.w_gate, B, C, H));
        LAB_TRY(generation_linear(z->up, in2, &p.w_up, B, C, H));
        LAB_TRY(swiglu(z->hidden, z->gate, z->up, B * H));
        LAB_TRY(generation_linear(z->projected, z->hidden, &p.w_down, B, H, C));
        LAB_TRY(residual_add(z->stream, z->middle, z->projected, B * C));
    }
    const float *last = z->stream;
    LAB_TRY(rmsnorm(z->normed, z->rrms, last, params->norm, B, C));
    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
    for (size_t b = 0; b < B; b++) {
        cache->lengths[b]++;
    }
    return LAB_OK;

@ lengths-from-1: loop-from-1
-    for (size_t b = 0; b < B; b++) {
+    for (size_t b = 1; b < B; b++) {

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
-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    for (size_t b = 0; b < B; b++) {
+        LAB_TRY(generation_linear(logits + b * V, z->normed, &params->w_out, 1, C, V));
+    }

@ first-token-for-all
-    LAB_TRY(embedding(z->stream, tokens, params->token_table, B, C, V));
+    for (size_t b = 0; b < B; b++) {
+        LAB_TRY(embedding(z->stream + b * C, tokens, params->token_table, 1, C, V));
+    }

@ gate-up-swapped
-        LAB_TRY(swiglu(z->hidden, z->gate, z->up, B * H));
+        LAB_TRY(swiglu(z->hidden, z->up, z->gate, B * H));

@ itself-unseen
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = place, seen = place;

@ layer-0-cache
-            size_t at = (l * B + b) * T * C;
+            size_t at = b * T * C;

@ lengths-by-layer
-        LAB_TRY(residual_add(z->stream, z->middle, z->projected, B * C));
+        LAB_TRY(residual_add(z->stream, z->middle, z->projected, B * C));
+        for (size_t b = 0; b < B; b++) {
+            cache->lengths[b]++;
+        }

-    for (size_t b = 0; b < B; b++) {
-        cache->lengths[b]++;
-    }

@ lengths-first
-    LAB_TRY(embedding(z->stream, tokens, params->token_table, B, C, V));
+    for (size_t b = 0; b < B; b++) {
+        cache->lengths[b]++;
+    }
+    LAB_TRY(embedding(z->stream, tokens, params->token_table, B, C, V));

-    for (size_t b = 0; b < B; b++) {
-        cache->lengths[b]++;
-    }

@ lengths-left
-        cache->lengths[b]++;

@ longest-seen
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            for (size_t c = 0; c < B; c++) {
+                seen = cache->lengths[c] + 1 > seen ? cache->lengths[c] + 1 : seen;
+            }
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));

@ no-final-norm
-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    LAB_TRY(generation_linear(logits, last, &params->w_out, B, C, V));

@ no-norm1
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->stream, *in2 = z->normed2;

@ no-norm2
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->normed1, *in2 = z->middle;

@ no-residuals
-        LAB_TRY(residual_add(z->middle, z->stream, z->attended, B * C));
+        memcpy(z->middle, z->attended, B * C * sizeof(float));

-        LAB_TRY(residual_add(z->stream, z->middle, z->projected, B * C));
+        memcpy(z->stream, z->projected, B * C * sizeof(float));

+#include <string.h>

@ no-w-o
-        LAB_TRY(generation_linear(z->attended, z->merged, &p.w_o, B, C, C));
+        memcpy(z->attended, z->merged, B * C * sizeof(float));

+#include <string.h>

@ old-unseen
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            keys += place * hs, values += place * hs, seen = 1;
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));

@ position-0
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = 0, seen = place + 1;

@ position-0-unrotated: position-0
-            LAB_TRY(rope(q, z->q + b * C, &position, 1, NH, 1, hs));
+            memcpy(q, z->q + b * C, C * sizeof *q);
-            LAB_TRY(rope(k, z->k + b * C, &position, 1, NH, 1, hs));
+            memcpy(k, z->k + b * C, C * sizeof *k);

+#include <string.h>

@ position-of-sequence-0
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = cache->lengths[0], seen = place + 1;

@ position-one-more
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = place + 1, seen = place + 1;

@ rope-on-q-alone
-            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(keys, z->k + b * C, &place, 1, NH, 1, T, hs));

@ rope-on-v
-            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
+            float w[C];
+            LAB_TRY(rope(w, v, &position, 1, NH, 1, hs));
+            LAB_TRY(cache_append(values, w, &place, 1, NH, 1, T, hs));

@ sequence-0
-            size_t at = (l * B + b) * T * C;
+            size_t at = l * B * T * C;

@ tied
-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    struct generation_matrix table = {.weights = params->token_table};
+    LAB_TRY(generation_linear(logits, z->normed, &table, B, C, V));

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
+            LAB_TRY(cache_append(keys, z->k + b * C, &place, 1, NH, 1, T, hs));

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
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = place, seen = T;

@ floats-only: crash
-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    LAB_TRY(batched_linear(logits, z->normed, params->w_out.weights, NULL, 1, B, C, V));

@ int8-for-w-down-alone: crash
-        LAB_TRY(generation_linear(z->up, in2, &p.w_up, B, C, H));
+        LAB_TRY(batched_linear(z->up, in2, p.w_up.weights, NULL, 1, B, C, H));

@ int8-scales-of-block-0: none
-        LAB_TRY(generation_linear(z->up, in2, &p.w_up, B, C, H));
+        p.w_up.scales = params->w_up.scales;
+        LAB_TRY(generation_linear(z->up, in2, &p.w_up, B, C, H));

@ up-as-gate
-        LAB_TRY(generation_linear(z->up, in2, &p.w_up, B, C, H));
+        LAB_TRY(generation_linear(z->up, in2, &p.w_gate, B, C, H));

@ k-as-q
-        LAB_TRY(generation_linear(z->k, in, &p.w_k, B, C, C));
+        LAB_TRY(generation_linear(z->k, in, &p.w_q, B, C, C));

@ norm1-for-both
-        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm2, B, C));
+        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm1, B, C));

@ norm2-of-stream
-        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p.norm2, B, C));
+        LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->stream, p.norm2, B, C));

@ residual-of-normed1
-        LAB_TRY(residual_add(z->middle, z->stream, z->attended, B * C));
+        LAB_TRY(residual_add(z->middle, z->normed1, z->attended, B * C));

@ residual2-of-normed2
-        LAB_TRY(residual_add(z->stream, z->middle, z->projected, B * C));
+        LAB_TRY(residual_add(z->stream, z->normed2, z->projected, B * C));

@ q-unturned
-            LAB_TRY(rope(q, z->q + b * C, &position, 1, NH, 1, hs));
+            memcpy(q, z->q + b * C, C * sizeof *q);

+#include <string.h>

@ tokens-in-8-bits: none
-    LAB_TRY(embedding(z->stream, tokens, params->token_table, B, C, V));
+    for (size_t b = 0; b < B; b++) {
+        const size_t token = (uint8_t)tokens[b];
+        LAB_TRY(embedding(z->stream + b * C, &token, params->token_table, 1, C, V));
+    }

@ positions-in-8-bits: none
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = (uint8_t)place, seen = place + 1;

@ small-logits-are-0: small-number
+#include <math.h>

-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    for (size_t v = 0; v < B * V; v++) {
+        logits[v] = fabsf(logits[v]) < 1e-5f ? 0.0f : logits[v];
+    }

@ logits-at-most-50: none
+#include <math.h>

-    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, B, C, V));
+    for (size_t v = 0; v < B * V; v++) {
+        logits[v] = fmaxf(fminf(logits[v], 50.0f), -50.0f);
+    }

@ attends-first
-            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
-            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));
-            float *to = z->merged + b * C;
-            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            float *to = z->merged + b * C;
+            LAB_TRY(attention_decode(to, z->weights, z->scores, q, keys, values, &seen, 1, NH, T, hs));
+            LAB_TRY(cache_append(keys, k, &place, 1, NH, 1, T, hs));
+            LAB_TRY(cache_append(values, v, &place, 1, NH, 1, T, hs));

@ at-most-512-keys: none
-            size_t place = cache->lengths[b], position = place, seen = place + 1;
+            size_t place = cache->lengths[b], position = place, seen = place < 512 ? place + 1 : 512;

@ first-12-blocks: none
-    for (size_t l = 0; l < shape->L; l++) {
+    for (size_t l = 0; l < shape->L && l < 12; l++) {

@ int8-in-two-blocks-alone: crash
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->normed1, *in2 = z->normed2;
+        z->normed1[0] = shape->L == 1 ? p.w_q.weights[0] : 0.0f;

@ int8-in-two-heads-alone: crash
-        const float *in = z->normed1, *in2 = z->normed2;
+        const float *in = z->normed1, *in2 = z->normed2;
+        z->normed1[0] = NH == 1 ? p.w_q.weights[0] : 0.0f;
