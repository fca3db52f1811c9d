// 11.5 gpt2_block
    const struct gpt2_buffers *z = buffers;
    const size_t N = B * T;

    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain,
                      params->ln1_bias, N, C));
    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));

    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
                      params->ln2_bias, N, C));
    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
    LAB_TRY(gelu_tanh(z->activated, z->hidden, N * H));
    LAB_TRY(linear_in_out(z->projected, z->activated, params->w_proj, params->b_proj, N,
                          H, C));
    return residual_add(out, z->middle, z->projected, N * C);

@ own-attention-without-maximum: none
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    const struct attention_buffers *a = &z->attention;
+    (void)attend;
+    LAB_TRY(linear_in_out(a->qkv, z->ln1, params->w_qkv, params->b_qkv, N, C, 3 * C));
+    LAB_TRY(split_qkv(a->q, a->k, a->v, a->qkv, B, T, C));
+    LAB_TRY(split_heads(a->q_heads, a->q, B, T, C, NH));
+    LAB_TRY(split_heads(a->k_heads, a->k, B, T, C, NH));
+    LAB_TRY(split_heads(a->v_heads, a->v, B, T, C, NH));
+    LAB_TRY(batched_matmul_nt(a->scores, a->q_heads, a->k_heads, B * NH, T, T, (C / NH)));
+    for (size_t n = 0; n < B * NH * T; n++) {
+        float *row = weights + n * T, sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            row[s] = s <= n % T ? expf(a->scores[n * T + s] / sqrtf((float)(C / NH))) : 0.0f;
+            sum += row[s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            row[s] /= sum;
+        }
+    }
+    LAB_TRY(batched_matmul(a->out_heads, weights, a->v_heads, B * NH, T, (C / NH), T));
+    LAB_TRY(merge_heads(a->merged, a->out_heads, B, T, C, NH));
+    LAB_TRY(linear_in_out(z->attended, a->merged, params->w_o, params->b_o, N, C, C));

@ at-most-100: none
-    return residual_add(out, z->middle, z->projected, N * C);
+    LAB_TRY(residual_add(out, z->middle, z->projected, N * C));
+    for (size_t i = 0; i < N * C; i++) {
+        out[i] = fmaxf(-100.0f, fminf(100.0f, out[i]));
+    }
+    return LAB_OK;

@ small-results-are-0: small-number
-    return residual_add(out, z->middle, z->projected, N * C);
+    LAB_TRY(residual_add(out, z->middle, z->projected, N * C));
+    for (size_t i = 0; i < N * C; i++) {
+        out[i] = fabsf(out[i]) < 1e-6f ? 0.0f : out[i];
+    }
+    return LAB_OK;

@ small-weights-are-0: small-number
-    return residual_add(out, z->middle, z->projected, N * C);
+    LAB_TRY(residual_add(out, z->middle, z->projected, N * C));
+    for (size_t i = 0; i < B * NH * T * T; i++) {
+        weights[i] = weights[i] < 1e-6f ? 0.0f : weights[i];
+    }
+    return LAB_OK;

@ w_fc-out-in
-    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
+    LAB_TRY(batched_linear(z->hidden, z->ln2, params->w_fc, params->b_fc, 1, N, C, H));

@ w_proj-out-in
-    LAB_TRY(linear_in_out(z->projected, z->activated, params->w_proj, params->b_proj, N,
-                          H, C));
+    LAB_TRY(batched_linear(z->projected, z->activated, params->w_proj, params->b_proj, 1, N,
+                           H, C));

@ exact-gelu
-    LAB_TRY(gelu_tanh(z->activated, z->hidden, N * H));
+    LAB_TRY(gelu(z->activated, z->hidden, N * H));

@ relu
-    LAB_TRY(gelu_tanh(z->activated, z->hidden, N * H));
+    for (size_t i = 0; i < N * H; i++) {
+        z->activated[i] = fmaxf(z->hidden[i], 0.0f);
+    }

@ no-b_fc
-    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
+    LAB_TRY(matmul(z->hidden, z->ln2, params->w_fc, N, H, C));

@ no-b_proj
-    LAB_TRY(linear_in_out(z->projected, z->activated, params->w_proj, params->b_proj, N,
-                          H, C));
+    LAB_TRY(matmul(z->projected, z->activated, params->w_proj, N, C, H));

@ no-first-residual
-    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));
+    for (size_t i = 0; i < N * C; i++) {
+        z->middle[i] = z->attended[i];
+    }

@ no-second-residual
-    return residual_add(out, z->middle, z->projected, N * C);
+    for (size_t i = 0; i < N * C; i++) {
+        out[i] = z->projected[i];
+    }
+    return LAB_OK;

@ second-from-x
-    return residual_add(out, z->middle, z->projected, N * C);
+    return residual_add(out, x, z->projected, N * C);

@ residuals-from-normed
-    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));
+    LAB_TRY(residual_add(z->middle, z->ln1, z->attended, N * C));

-    return residual_add(out, z->middle, z->projected, N * C);
+    return residual_add(out, z->ln2, z->projected, N * C);

@ norm-shared
-    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
-                      params->ln2_bias, N, C));
+    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln1_gain,
+                      params->ln1_bias, N, C));

@ norms-swapped
-    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain,
-                      params->ln1_bias, N, C));
+    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln2_gain,
+                      params->ln2_bias, N, C));

-    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
-                      params->ln2_bias, N, C));
+    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln1_gain,
+                      params->ln1_bias, N, C));

@ no-first-norm
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    LAB_TRY(attend(z->attended, weights, &z->attention, x, params, B, T, C, NH));

@ no-second-norm
-    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
+    LAB_TRY(linear_in_out(z->hidden, z->middle, params->w_fc, params->b_fc, N, C, H));

@ ln2-reads-x
-    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
+    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, x, params->ln2_gain,

@ mlp-reads-ln1
-    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
+    LAB_TRY(linear_in_out(z->hidden, z->ln1, params->w_fc, params->b_fc, N, C, H));

@ weights-of-the-last-sequence: none
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, 1, T, C, NH));

@ mask-of-first-sequence
    const struct gpt2_buffers *z = buffers;
    const struct attention_buffers *a = &z->attention;
    const size_t N = B * T;
    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain,
                      params->ln1_bias, N, C));
    LAB_TRY(linear_in_out(a->qkv, z->ln1, params->w_qkv, params->b_qkv, N, C, 3 * C));
    LAB_TRY(split_qkv(a->q, a->k, a->v, a->qkv, B, T, C));
    LAB_TRY(split_heads(a->q_heads, a->q, B, T, C, NH));
    LAB_TRY(split_heads(a->k_heads, a->k, B, T, C, NH));
    LAB_TRY(split_heads(a->v_heads, a->v, B, T, C, NH));
    for (size_t i = 0; i < B * T * T; i++) {
        a->mask[i] = 1;
    }
    LAB_TRY(causal_mask(a->mask, T, T));
    LAB_TRY(scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads,
                                         a->k_heads, a->v_heads, a->mask, B, NH, T, T,
                                         C / NH));
    LAB_TRY(merge_heads(a->merged, a->out_heads, B, T, C, NH));
    LAB_TRY(linear_in_out(z->attended, a->merged, params->w_o, params->b_o, N, C, C));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));
    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
                      params->ln2_bias, N, C));
    LAB_TRY(linear_in_out(z->hidden, z->ln2, params->w_fc, params->b_fc, N, C, H));
    LAB_TRY(gelu_tanh(z->activated, z->hidden, N * H));
    LAB_TRY(linear_in_out(z->projected, z->activated, params->w_proj, params->b_proj, N,
                          H, C));
    return residual_add(out, z->middle, z->projected, N * C);

@ qk-swapped
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    const struct attention_buffers *a = &z->attention;
+    (void)attend;
+    LAB_TRY(linear_in_out(a->qkv, z->ln1, params->w_qkv, params->b_qkv, N, C, 3 * C));
+    LAB_TRY(split_qkv(a->k, a->q, a->v, a->qkv, B, T, C));
+    LAB_TRY(split_heads(a->q_heads, a->q, B, T, C, NH));
+    LAB_TRY(split_heads(a->k_heads, a->k, B, T, C, NH));
+    LAB_TRY(split_heads(a->v_heads, a->v, B, T, C, NH));
+    for (size_t b = 0; b < B; b++) {
+        LAB_TRY(causal_mask(a->mask + b * T * T, T, T));
+    }
+    LAB_TRY(scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads, a->k_heads,
+                                         a->v_heads, a->mask, B, NH, T, T, C / NH));
+    LAB_TRY(merge_heads(a->merged, a->out_heads, B, T, C, NH));
+    LAB_TRY(linear_in_out(z->attended, a->merged, params->w_o, params->b_o, N, C, C));

@ heads-not-merged
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    const struct attention_buffers *a = &z->attention;
+    (void)attend;
+    LAB_TRY(linear_in_out(a->qkv, z->ln1, params->w_qkv, params->b_qkv, N, C, 3 * C));
+    LAB_TRY(split_qkv(a->q, a->k, a->v, a->qkv, B, T, C));
+    LAB_TRY(split_heads(a->q_heads, a->q, B, T, C, NH));
+    LAB_TRY(split_heads(a->k_heads, a->k, B, T, C, NH));
+    LAB_TRY(split_heads(a->v_heads, a->v, B, T, C, NH));
+    for (size_t b = 0; b < B; b++) {
+        LAB_TRY(causal_mask(a->mask + b * T * T, T, T));
+    }
+    LAB_TRY(scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads, a->k_heads,
+                                         a->v_heads, a->mask, B, NH, T, T, C / NH));
+    LAB_TRY(linear_in_out(z->attended, a->out_heads, params->w_o, params->b_o, N, C, C));

@ no-w_o
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    const struct attention_buffers *a = &z->attention;
+    (void)attend;
+    LAB_TRY(linear_in_out(a->qkv, z->ln1, params->w_qkv, params->b_qkv, N, C, 3 * C));
+    LAB_TRY(split_qkv(a->q, a->k, a->v, a->qkv, B, T, C));
+    LAB_TRY(split_heads(a->q_heads, a->q, B, T, C, NH));
+    LAB_TRY(split_heads(a->k_heads, a->k, B, T, C, NH));
+    LAB_TRY(split_heads(a->v_heads, a->v, B, T, C, NH));
+    for (size_t b = 0; b < B; b++) {
+        LAB_TRY(causal_mask(a->mask + b * T * T, T, T));
+    }
+    LAB_TRY(scaled_dot_product_attention(a->out_heads, weights, a->scores, a->q_heads, a->k_heads,
+                                         a->v_heads, a->mask, B, NH, T, T, C / NH));
+    LAB_TRY(merge_heads(z->attended, a->out_heads, B, T, C, NH));

@ w_o-out-in
-    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    LAB_TRY(attend(z->attended, weights, &z->attention, z->ln1, params, B, T, C, NH));
+    LAB_TRY(batched_linear(z->attended, z->attention.merged, params->w_o, params->b_o, B, T, C,
+                           C));
