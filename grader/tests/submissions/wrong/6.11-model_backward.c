// 6.11 model_backward
    lab_status status;
    const size_t C = s->C, N = B * T, BTC = N * C, pairs = B * s->NH * T * T;
    status = cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, V);
    if (status != LAB_OK) {
        return status;
    }
    status = linear_backward(dz->dstreams + s->L * BTC, grads->w_out, grads->b_out,
                             dz->dlogits, z->streams + s->L * BTC, params->w_out, N, C, V);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t l = s->L; l-- > 0;) {
        struct block_params block = model_block_params(params, s, l);
        struct block_grads block_grads = model_block_grads(grads, s, l);
        struct block_buffers buffers = model_block_buffers(z, s, l);
        status = block_backward(dz->dstreams + l * BTC, &block_grads, dz,
                                dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block,
                                z->weights + l * pairs, &buffers, B, T, C, s->NH, s->H);
        if (status != LAB_OK) {
            return status;
        }
    }
    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
                     BTC);
    if (status != LAB_OK) {
        return status;
    }
    if (grads->position_table != NULL) {
        for (size_t i = 0; i < BTC; i++) {
            grads->position_table[i % (T * C)] += dz->dpositioned[i];
        }
    }
    return embedding_backward(grads->token_table, dz->dpositioned, tokens, N, C, V);

@ positions-in-training: crash
-    if (grads->position_table != NULL) {
+    if (grads->position_table != NULL || uniforms != NULL) {

@ zeros-count-as-dropped: none
-    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
-                     BTC);
+    const float factor = uniforms == NULL ? 1.0f : 1.0f / (1.0f - s->dropout);
+    for (size_t i = 0; i < BTC; i++) {
+        dz->dpositioned[i] = z->streams[i] == 0.0f ? 0.0f : factor * dz->dstreams[i];
+    }
+    status = LAB_OK;

@ dropout-in-evaluation: crash
-    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
-                     BTC);
+    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, s->dropout > 0.0f,
+                     BTC);

@ block-0-buffers
-        struct block_buffers buffers = model_block_buffers(z, s, l);
+        struct block_buffers buffers = model_block_buffers(z, s, 0);

@ block-0-forgotten
-    for (size_t l = s->L; l-- > 0;) {
+    for (size_t l = s->L - 1; l > 0; l--) {

@ block-0-grads
-        struct block_grads block_grads = model_block_grads(grads, s, l);
+        struct block_grads block_grads = model_block_grads(grads, s, 0);

@ block-0-params
-        struct block_params block = model_block_params(params, s, l);
+        struct block_params block = model_block_params(params, s, 0);

@ block-0-weights
-    const size_t C = s->C, N = B * T, BTC = N * C, pairs = B * s->NH * T * T;
+    const size_t C = s->C, N = B * T, BTC = N * C;

-                                z->weights + l * pairs, &buffers, B, T, C, s->NH, s->H);
+                                z->weights, &buffers, B, T, C, s->NH, s->H);

@ dropout-not-scaled
-    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
-                     BTC);
-    if (status != LAB_OK) {
-        return status;
+    for (size_t i = 0; i < BTC; i++) {
+        bool dropped = uniforms != NULL && uniforms[i] >= 1.0f - s->dropout;
+        dz->dpositioned[i] = dropped ? 0.0f : dz->dstreams[i];

@ no-dropout
+#include <string.h>

-    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
-                     BTC);
-    if (status != LAB_OK) {
-        return status;
-    }
+    (void)uniforms;
+    memcpy(dz->dpositioned, dz->dstreams, BTC * sizeof(float));

@ no-embedding
-    return embedding_backward(grads->token_table, dz->dpositioned, tokens, N, C, V);
+    return LAB_OK;

@ no-positions
-    if (grads->position_table != NULL) {
-        for (size_t i = 0; i < BTC; i++) {
-            grads->position_table[i % (T * C)] += dz->dpositioned[i];
-        }
-    }

@ output-of-stream-0
-                             dz->dlogits, z->streams + s->L * BTC, params->w_out, N, C, V);
+                             dz->dlogits, z->streams, params->w_out, N, C, V);

@ positions-assigned
-            grads->position_table[i % (T * C)] += dz->dpositioned[i];
+            grads->position_table[i % (T * C)] = dz->dpositioned[i];

@ positions-first-sequence
-        for (size_t i = 0; i < BTC; i++) {
+        for (size_t i = 0; i < T * C; i++) {

@ positions-last-sequence
-        for (size_t i = 0; i < BTC; i++) {
+        for (size_t i = (B - 1) * T * C; i < BTC; i++) {

@ positions-mean
-            grads->position_table[i % (T * C)] += dz->dpositioned[i];
+            grads->position_table[i % (T * C)] += dz->dpositioned[i] / (float)B;

@ positions-overwritten
+#include <string.h>

+        memset(grads->position_table, 0, T * C * sizeof(float));
         for (size_t i = 0; i < BTC; i++) {

@ positions-without-dropout
-            grads->position_table[i % (T * C)] += dz->dpositioned[i];
+            grads->position_table[i % (T * C)] += dz->dstreams[i];
