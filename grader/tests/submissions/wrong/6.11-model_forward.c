// 6.11 model_forward
    lab_status status;
    const size_t C = s->C, N = B * T, BTC = N * C;
    status = embedding(z->embedded, tokens, params->token_table, N, C, V);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < BTC; i++) {
        float position = 0.0f;
        if (params->position_table != NULL) {
            position = params->position_table[i % (T * C)];
        }
        z->positioned[i] = z->embedded[i] + position;
    }
    status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t l = 0; l < s->L; l++) {
        struct block_params block = model_block_params(params, s, l);
        struct block_buffers buffers = model_block_buffers(z, s, l);
        status = transformer_block(z->streams + (l + 1) * BTC,
                                   z->weights + l * B * s->NH * T * T, &buffers,
                                   z->streams + l * BTC, &block, s->causal, B, T, C, s->NH,
                                   s->H);
        if (status != LAB_OK) {
            return status;
        }
    }
    status = batched_linear(z->logits, z->streams + s->L * BTC, params->w_out,
                            params->b_out, B, T, C, V);
    if (status != LAB_OK || targets == NULL) {
        return status;
    }
    return cross_entropy(loss, z->probabilities, z->logits, targets, N, V);

@ always-causal
-                                   z->streams + l * BTC, &block, s->causal, B, T, C, s->NH,
+                                   z->streams + l * BTC, &block, true, B, T, C, s->NH,

@ block-0-params
-        struct block_params block = model_block_params(params, s, l);
+        struct block_params block = model_block_params(params, s, 0);

@ blocks-beside-each-other
-                                   z->streams + l * BTC, &block, s->causal, B, T, C, s->NH,
+                                   z->streams, &block, s->causal, B, T, C, s->NH,

@ causal-from-two-blocks: always-causal
-                                   z->streams + l * BTC, &block, s->causal, B, T, C, s->NH,
+                                   z->streams + l * BTC, &block, s->causal || s->L > 1, B, T, C, s->NH,

@ dropout-before-positions
     status = embedding(z->embedded, tokens, params->token_table, N, C, V);
+    if (status != LAB_OK) {
+        return status;
+    }
+    status = dropout(z->streams, z->embedded, uniforms, s->dropout, uniforms != NULL, BTC);

-    }
-    status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
-    if (status != LAB_OK) {
-        return status;
+        z->streams[i] += position;

@ dropout-not-scaled
-    status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
-    if (status != LAB_OK) {
-        return status;
+    for (size_t i = 0; i < BTC; i++) {
+        bool dropped = uniforms != NULL && uniforms[i] >= 1.0f - s->dropout;
+        z->streams[i] = dropped ? 0.0f : z->positioned[i];

@ dropout-only-with-positions: no-dropout
+#include <string.h>

-    status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
-    if (status != LAB_OK) {
-        return status;
-    }
+    if (params->position_table == NULL) {
+        memcpy(z->streams, z->positioned, BTC * sizeof(float));
+    } else {
+        status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
+    }
+    if (status != LAB_OK) {
+        return status;
+    }

@ final-norm
+#include <math.h>

-    status = batched_linear(z->logits, z->streams + s->L * BTC, params->w_out,
+    float *last = z->embedded; // no longer needed
+    for (size_t n = 0; n < N; n++) {
+        const float *x = z->streams + s->L * BTC + n * C;
+        float mean = 0.0f, variance = 0.0f;
+        for (size_t c = 0; c < C; c++) {
+            mean += x[c] / (float)C;
+        }
+        for (size_t c = 0; c < C; c++) {
+            variance += (x[c] - mean) * (x[c] - mean) / (float)C;
+        }
+        for (size_t c = 0; c < C; c++) {
+            last[n * C + c] = (x[c] - mean) / sqrtf(variance + LAYERNORM_EPS);
+        }
+    }
+    status = batched_linear(z->logits, last, params->w_out,

@ loss-in-training: crash
-    if (status != LAB_OK || targets == NULL) {
-        return status;
-    }
+    if (status != LAB_OK || (targets == NULL && uniforms == NULL)) {
+        return status;
+    }

@ no-dropout
+#include <string.h>

-    status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
-    if (status != LAB_OK) {
-        return status;
-    }
+    memcpy(z->streams, z->positioned, BTC * sizeof(float));

@ no-output-bias
-                            params->b_out, B, T, C, V);
+                            NULL, B, T, C, V);

@ no-positions
-        float position = 0.0f;
-        if (params->position_table != NULL) {
-            position = params->position_table[i % (T * C)];
-        }
-        z->positioned[i] = z->embedded[i] + position;
+        z->positioned[i] = z->embedded[i];

@ not-causal
-                                   z->streams + l * BTC, &block, s->causal, B, T, C, s->NH,
+                                   z->streams + l * BTC, &block, false, B, T, C, s->NH,

@ position-0
-            position = params->position_table[i % (T * C)];
+            position = params->position_table[i % C];

@ scaled-embedding
+#include <math.h>

+        z->embedded[i] *= sqrtf((float)C);
         float position = 0.0f;

@ skips-last-block
-    status = batched_linear(z->logits, z->streams + s->L * BTC, params->w_out,
+    status = batched_linear(z->logits, z->streams + (s->L - 1) * BTC, params->w_out,

@ status-ignored
-    if (status != LAB_OK || targets == NULL) {
-        return status;
-    }
+    if (targets == NULL) {
+        return status;
+    }
