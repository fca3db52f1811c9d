// 5.6 transformer_block
    const struct block_buffers *b = buffers;
    const size_t N = B * T;

    // middle = x + attention(layernorm 1(x))
    LAB_TRY(layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
                      params->ln1_bias, N, C));
    LAB_TRY(multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                 &params->attention, causal, B, T, C, C, NH));
    LAB_TRY(residual_add(b->middle, x, b->attended, N * C));

    // out = middle + mlp(layernorm 2(middle))
    LAB_TRY(layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
                      params->ln2_bias, N, C));
    LAB_TRY(mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, N, C, H));
    return residual_add(out, b->middle, b->projected, N * C);

@ stream-at-most-100: none
-    LAB_TRY(residual_add(b->middle, x, b->attended, N * C));
+    LAB_TRY(residual_add(b->middle, x, b->attended, N * C));
+    for (size_t i = 0; i < N * C; i++) {
+        b->middle[i] = fminf(b->middle[i], 100.0f);
+    }

@ small-weights-are-0: small-number
-    return residual_add(out, b->middle, b->projected, N * C);
+    LAB_TRY(residual_add(out, b->middle, b->projected, N * C));
+    for (size_t i = 0; i < B * NH * T * T; i++) {
+        weights[i] = weights[i] < 1e-6f ? 0.0f : weights[i];
+    }
+    return LAB_OK;

@ own-attention-without-maximum: none
-    LAB_TRY(multi_head_attention(b->attended, weights, &b->attention, b->ln1,
-                                 &params->attention, causal, B, T, C, C, NH));
+    const struct attention_buffers *z = &b->attention;
+    const struct attention_params *p = &params->attention;
+    LAB_TRY(batched_linear(z->qkv, b->ln1, p->w_qkv, p->b_qkv, B, T, C, 3 * C));
+    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));
+    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
+    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
+    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
+    LAB_TRY(batched_matmul_nt(z->scores, z->q_heads, z->k_heads, B * NH, T, T, (C / NH)));
+    for (size_t n = 0; n < B * NH * T; n++) {
+        float *row = weights + n * T, sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            row[s] = !causal || s <= n % T ? expf(z->scores[n * T + s] / sqrtf((float)(C / NH))) : 0.0f;
+            sum += row[s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            row[s] /= sum;
+        }
+    }
+    LAB_TRY(batched_matmul(z->out_heads, weights, z->v_heads, B * NH, T, (C / NH), T));
+    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
+    LAB_TRY(batched_linear(b->attended, z->merged, p->w_o, p->b_o, B, T, C, C));

@ ln2-with-ln1_bias
-                      params->ln2_bias, N, C));
+                      params->ln1_bias, N, C));

@ ln2-with-ln1_gain
-    LAB_TRY(layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
+    LAB_TRY(layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln1_gain,

@ mlp-reads-ln1
-    LAB_TRY(mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, N, C, H));
+    LAB_TRY(mlp(b->projected, b->hidden, b->activated, b->ln1, &params->mlp, N, C, H));

@ no-norms
    const struct block_buffers *b = buffers;
    lab_status status = multi_head_attention(b->attended, weights, &b->attention, x,
                                             &params->attention, causal, B, T, C, C, NH);
    if (status == LAB_OK) {
        status = residual_add(b->middle, x, b->attended, B * T * C);
    }
    if (status == LAB_OK) {
        status = mlp(b->projected, b->hidden, b->activated, b->middle, &params->mlp,
                     B * T, C, H);
    }
    if (status == LAB_OK) {
        status = residual_add(out, b->middle, b->projected, B * T * C);
    }
    return status;

@ no-residual
    const struct block_buffers *b = buffers;
    lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
                                  params->ln1_bias, B * T, C);
    if (status == LAB_OK) {
        status = multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                      &params->attention, causal, B, T, C, C, NH);
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->attended,
                           params->ln2_gain, params->ln2_bias, B * T, C);
    }
    if (status == LAB_OK) {
        status = mlp(out, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
    }
    return status;

@ post-norm
    const struct block_buffers *b = buffers;
    lab_status status = multi_head_attention(b->attended, weights, &b->attention, x,
                                             &params->attention, causal, B, T, C, C, NH);
    if (status == LAB_OK) {
        status = residual_add(b->middle, x, b->attended, B * T * C);
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, b->middle, params->ln1_gain,
                           params->ln1_bias, B * T, C);
    }
    if (status == LAB_OK) {
        status =
            mlp(b->projected, b->hidden, b->activated, b->ln1, &params->mlp, B * T, C, H);
    }
    if (status == LAB_OK) {
        status = residual_add(b->ln2, b->ln1, b->projected, B * T * C);
    }
    if (status == LAB_OK) {
        status = layernorm(out, b->ln2_mean, b->ln2_rstd, b->ln2, params->ln2_gain,
                           params->ln2_bias, B * T, C);
    }
    return status;

@ right-step-by-step
    const struct block_buffers *b = buffers;
    lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
                                  params->ln1_bias, B * T, C);
    if (status == LAB_OK) {
        status = multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                      &params->attention, causal, B, T, C, C, NH);
    }
    if (status == LAB_OK) {
        status = residual_add(b->middle, x, b->attended, B * T * C);
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
                           params->ln2_bias, B * T, C);
    }
    if (status == LAB_OK) {
        status =
            mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
    }
    if (status == LAB_OK) {
        status = residual_add(out, b->middle, b->projected, B * T * C);
    }
    return status;

@ always-causal
+    (void)causal;
     lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,

-                                      &params->attention, causal, B, T, C, C, NH);
+                                      &params->attention, true, B, T, C, C, NH);

@ first-from-normed
-        status = residual_add(b->middle, x, b->attended, B * T * C);
+        status = residual_add(b->middle, b->ln1, b->attended, B * T * C);

@ ln-shared
-        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
-                           params->ln2_bias, B * T, C);
+        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln1_gain,
+                           params->ln1_bias, B * T, C);

@ ln-swapped
-    lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
-                                  params->ln1_bias, B * T, C);
+    lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln2_gain,
+                                  params->ln2_bias, B * T, C);

-        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
-                           params->ln2_bias, B * T, C);
+        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln1_gain,
+                           params->ln1_bias, B * T, C);

@ mlp-first
-        status = multi_head_attention(b->attended, weights, &b->attention, b->ln1,
-                                      &params->attention, causal, B, T, C, C, NH);
+        status =
+            mlp(b->projected, b->hidden, b->activated, b->ln1, &params->mlp, B * T, C, H);

-        status = residual_add(b->middle, x, b->attended, B * T * C);
+        status = residual_add(b->middle, x, b->projected, B * T * C);

-        status =
-            mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
+        status = multi_head_attention(b->attended, weights, &b->attention, b->ln2,
+                                      &params->attention, causal, B, T, C, C, NH);

-        status = residual_add(out, b->middle, b->projected, B * T * C);
+        status = residual_add(out, b->middle, b->attended, B * T * C);

@ mlp-reads-attended
-        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
-                           params->ln2_bias, B * T, C);
+        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->attended,
+                           params->ln2_gain, params->ln2_bias, B * T, C);

@ never-causal
+    (void)causal;
     lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,

-                                      &params->attention, causal, B, T, C, C, NH);
+                                      &params->attention, false, B, T, C, C, NH);

@ no-first-residual
-        status = residual_add(b->middle, x, b->attended, B * T * C);
-    }
-    if (status == LAB_OK) {
-        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
-                           params->ln2_bias, B * T, C);
+        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->attended,
+                           params->ln2_gain, params->ln2_bias, B * T, C);

-        status = residual_add(out, b->middle, b->projected, B * T * C);
+        status = residual_add(out, b->attended, b->projected, B * T * C);

@ no-ln1
-    lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
-                                  params->ln1_bias, B * T, C);
-    if (status == LAB_OK) {
-        status = multi_head_attention(b->attended, weights, &b->attention, b->ln1,
-                                      &params->attention, causal, B, T, C, C, NH);
-    }
+    lab_status status = multi_head_attention(b->attended, weights, &b->attention, x,
+                                             &params->attention, causal, B, T, C, C, NH);

@ no-ln2
-        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
-                           params->ln2_bias, B * T, C);
-    }
-    if (status == LAB_OK) {
-        status =
-            mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
+        status = mlp(b->projected, b->hidden, b->activated, b->middle, &params->mlp,
+                     B * T, C, H);

@ no-second-residual
-        status =
-            mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
-    }
-    if (status == LAB_OK) {
-        status = residual_add(out, b->middle, b->projected, B * T * C);
+        status = mlp(out, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);

@ parallel
-        status = residual_add(b->middle, x, b->attended, B * T * C);
-    }
-    if (status == LAB_OK) {
-        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
+        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, x, params->ln2_gain,

+        status = residual_add(b->middle, x, b->attended, B * T * C);
+    }
+    if (status == LAB_OK) {
         status = residual_add(out, b->middle, b->projected, B * T * C);

@ residuals-from-normed
-        status = residual_add(b->middle, x, b->attended, B * T * C);
+        status = residual_add(b->middle, b->ln1, b->attended, B * T * C);

-        status = residual_add(out, b->middle, b->projected, B * T * C);
+        status = residual_add(out, b->ln2, b->projected, B * T * C);

@ second-from-normed
-        status = residual_add(out, b->middle, b->projected, B * T * C);
+        status = residual_add(out, b->ln2, b->projected, B * T * C);

@ second-from-x
-        status = residual_add(out, b->middle, b->projected, B * T * C);
+        status = residual_add(out, x, b->projected, B * T * C);
