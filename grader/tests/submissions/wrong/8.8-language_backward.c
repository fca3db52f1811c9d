// 8.8 language_backward
    const size_t C = s->C, N = B * T, BTC = N * C;
    size_t l = s->L;
    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, V));
    LAB_TRY(linear_backward(dz->dnormed, grads->w_out, NULL, dz->dlogits, z->normed,
                            params->w_out, N, C, V));
    float *d = dz->dstreams + l * BTC;
    LAB_TRY(rmsnorm_backward(d, grads->norm, dz->dnormed, z->streams + l * BTC, z->rrms,
                             params->norm, N, C));
    while (l > 0) {
        l--;
        struct language_block_params p = language_block_params(params, s, l);
        struct language_block_grads g = language_block_grads(grads, s, l);
        struct language_block_buffers b = language_block_buffers(z, s, l);
        const float *weights = z->weights + l * B * s->NH * T * T;
        LAB_TRY(language_block_backward(d - BTC, &g, dz, d, z->streams + l * BTC, &p, weights,
                                        &b, B, T, C, s->NH, s->H));
        d -= BTC;
    }
    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, C, V);

@ block-0-buffers
-        struct language_block_buffers b = language_block_buffers(z, s, l);
+        struct language_block_buffers b = language_block_buffers(z, s, 0);

@ block-0-forgotten
-    while (l > 0) {
+    while (l > 1) {

@ block-0-grads
-        struct language_block_grads g = language_block_grads(grads, s, l);
+        struct language_block_grads g = language_block_grads(grads, s, 0);

@ block-0-params
-        struct language_block_params p = language_block_params(params, s, l);
+        struct language_block_params p = language_block_params(params, s, 0);

@ block-0-weights
-        const float *weights = z->weights + l * B * s->NH * T * T;
+        const float *weights = z->weights;

@ embedding-of-targets
-    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, C, V);
+    return embedding_backward(grads->token_table, dz->dstreams, targets, N, C, V);

@ embedding-of-top
-    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, C, V);
+    return embedding_backward(grads->token_table, dz->dstreams + s->L * BTC, tokens, N, C, V);

@ final-norm-of-normed
-    LAB_TRY(rmsnorm_backward(d, grads->norm, dz->dnormed, z->streams + l * BTC, z->rrms,
+    LAB_TRY(rmsnorm_backward(d, grads->norm, dz->dnormed, z->normed, z->rrms,

@ final-norm-of-stream-0
-    LAB_TRY(rmsnorm_backward(d, grads->norm, dz->dnormed, z->streams + l * BTC, z->rrms,
+    LAB_TRY(rmsnorm_backward(d, grads->norm, dz->dnormed, z->streams, z->rrms,

@ no-embedding
-    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, C, V);
+    return LAB_OK;

@ no-final-norm
+#include <string.h>

-    LAB_TRY(rmsnorm_backward(d, grads->norm, dz->dnormed, z->streams + l * BTC, z->rrms,
-                             params->norm, N, C));
+    memcpy(d, dz->dnormed, BTC * sizeof(float));

@ output-of-stream
-    LAB_TRY(linear_backward(dz->dnormed, grads->w_out, NULL, dz->dlogits, z->normed,
+    LAB_TRY(linear_backward(dz->dnormed, grads->w_out, NULL, dz->dlogits, z->streams + l * BTC,

@ outputs-as-inputs
-        LAB_TRY(language_block_backward(d - BTC, &g, dz, d, z->streams + l * BTC, &p, weights,
+        LAB_TRY(language_block_backward(d - BTC, &g, dz, d, z->streams + (l + 1) * BTC, &p, weights,

@ rows-of-the-stream-for-V: none
-    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, C, V);
+    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, C, BTC);

@ tokens-as-targets
-    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, V));
+    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, tokens, N, V));

@ tied
-                            params->w_out, N, C, V));
+                            params->token_table, N, C, V));

@ first-12-blocks: none
-    size_t l = s->L;
+    size_t l = s->L < 12 ? s->L : 12;

@ dstreams-used-twice: none
-    float *d = dz->dstreams + l * BTC;
+    float *d = dz->dstreams + l % 2 * BTC;

-        LAB_TRY(language_block_backward(d - BTC, &g, dz, d, z->streams + l * BTC, &p, weights,
-                                        &b, B, T, C, s->NH, s->H));
-        d -= BTC;
+        float *next = dz->dstreams + l % 2 * BTC;
+        LAB_TRY(language_block_backward(next, &g, dz, d, z->streams + l * BTC, &p, weights,
+                                        &b, B, T, C, s->NH, s->H));
+        d = next;
