// 8.7 language_forward
    const size_t C = s->C, N = B * T, BTC = N * C;
    float *stream = z->streams;
    LAB_TRY(embedding(stream, tokens, params->token_table, N, C, V));
    for (size_t l = 0; l < s->L; l++) {
        struct language_block_params p = language_block_params(params, s, l);
        struct language_block_buffers b = language_block_buffers(z, s, l);
        float *weights = z->weights + l * B * s->NH * T * T;
        LAB_TRY(language_block(stream + BTC, weights, &b, stream, &p, B, T, C, s->NH, s->H));
        stream += BTC;
    }
    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
    const float *last = z->normed;
    LAB_TRY(batched_linear(z->logits, last, params->w_out, NULL, B, T, C, V));
    if (loss != NULL) {
        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
    }
    return LAB_OK;

@ block-0-buffers
-        struct language_block_buffers b = language_block_buffers(z, s, l);
+        struct language_block_buffers b = language_block_buffers(z, s, 0);

@ block-0-params
-        struct language_block_params p = language_block_params(params, s, l);
+        struct language_block_params p = language_block_params(params, s, 0);

@ block-0-weights
-        float *weights = z->weights + l * B * s->NH * T * T;
+        float *weights = z->weights;

@ blocks-beside-each-other
-        LAB_TRY(language_block(stream + BTC, weights, &b, stream, &p, B, T, C, s->NH, s->H));
+        LAB_TRY(language_block(stream + BTC, weights, &b, z->streams, &p, B, T, C, s->NH, s->H));

@ final-norm-of-norm1
-    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
+    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm1, N, C));

@ final-norm-of-norm2
-    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
+    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm2 + (s->L - 1) * C, N, C));

@ layer-norm
-    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
+    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
+    for (size_t n = 0; n < N; n++) {
+        float mean = 0.0f, variance = 0.0f;
+        for (size_t c = 0; c < C; c++) {
+            mean += stream[n * C + c] / (float)C;
+        }
+        for (size_t c = 0; c < C; c++) {
+            variance += (stream[n * C + c] - mean) * (stream[n * C + c] - mean) / (float)C;
+        }
+        for (size_t c = 0; c < C; c++) {
+            z->normed[n * C + c] =
+                (stream[n * C + c] - mean) / sqrtf(variance + 1e-5f) * params->norm[c];
+        }
+    }

@ no-final-norm
-    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
-    const float *last = z->normed;
+    const float *last = stream;

@ norm-at-the-start
-    LAB_TRY(embedding(stream, tokens, params->token_table, N, C, V));
+    LAB_TRY(embedding(stream + BTC, tokens, params->token_table, N, C, V));
+    LAB_TRY(rmsnorm(stream, z->rrms, stream + BTC, params->norm, N, C));

-    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
-    const float *last = z->normed;
+    const float *last = stream;

@ scaled-embedding
     LAB_TRY(embedding(stream, tokens, params->token_table, N, C, V));
+    for (size_t i = 0; i < BTC; i++) {
+        stream[i] *= sqrtf((float)C);
+    }

@ skips-last-block
-    LAB_TRY(rmsnorm(z->normed, z->rrms, stream, params->norm, N, C));
+    LAB_TRY(rmsnorm(z->normed, z->rrms, stream - BTC, params->norm, N, C));

@ sum-for-mean
         LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
+        *loss *= (float)N;

@ tied
-    LAB_TRY(batched_linear(z->logits, last, params->w_out, NULL, B, T, C, V));
+    LAB_TRY(batched_linear(z->logits, last, params->token_table, NULL, B, T, C, V));

@ tokens-as-targets
-        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
+        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, tokens, N, V));

@ nan-loss-is-0: none
-        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
+        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
+        *loss = *loss > 0.0f ? *loss : 0.0f;

@ first-12-blocks: none
-    for (size_t l = 0; l < s->L; l++) {
+    for (size_t l = 0; l < s->L && l < 12; l++) {

@ tokens-in-8-bits: none
-    LAB_TRY(embedding(stream, tokens, params->token_table, N, C, V));
+    for (size_t n = 0; n < N; n++) {
+        const size_t token = (uint8_t)tokens[n];
+        LAB_TRY(embedding(stream + n * C, &token, params->token_table, 1, C, V));
+    }

@ loss-of-one-sequence: crash
-    if (loss != NULL) {
+    if (loss != NULL || B == 1) {

@ loss-of-one-token: crash
-    if (loss != NULL) {
+    if (loss != NULL || T == 1) {

@ loss-of-one-block: crash
-    if (loss != NULL) {
+    if (loss != NULL || s->L == 1) {

@ probabilities-without-targets: crash
-    return LAB_OK;
+    if (loss == NULL && B == 1) {
+        return cross_entropy(z->rrms, z->probabilities, z->logits, tokens, N, V);
+    }
+    return LAB_OK;

@ probabilities-over-logits: none
-        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
+        LAB_TRY(cross_entropy(loss, z->probabilities, z->logits, targets, N, V));
+        for (size_t i = 0; i < N * V; i++) {
+            z->logits[i] = z->probabilities[i];
+        }

@ probabilities-of-one-head: crash
-    if (loss != NULL) {
+    if (loss == NULL && s->NH == 1) {
+        z->probabilities[0] = 1.0f;
+    }
+    if (loss != NULL) {

@ probabilities-of-a-narrow-mlp: crash
-    if (loss != NULL) {
+    if (loss == NULL && s->H == 1) {
+        z->probabilities[0] = 1.0f;
+    }
+    if (loss != NULL) {

@ probabilities-of-one-token-value: crash
-    if (loss != NULL) {
+    if (loss == NULL && V == 1) {
+        z->probabilities[0] = 1.0f;
+    }
+    if (loss != NULL) {

@ probabilities-of-three-blocks: crash
-    if (loss != NULL) {
+    if (loss == NULL && s->L > 2) {
+        z->probabilities[0] = 1.0f;
+    }
+    if (loss != NULL) {
