// 11.4 bert_layer
    const struct bert_buffers *z = buffers;
    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,
                            mask, B, T, T, C, NH));
    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
                      B * T, C));
    LAB_TRY(
        mlp(z->projected, z->hidden, z->activated, z->middle, &params->mlp, B * T, C, H));
    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
                     B * T, C);

@ at-most-100: none
-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
-                     B * T, C);
+    LAB_TRY(post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+                      B * T, C));
+    for (size_t i = 0; i < B * T * C; i++) {
+        out[i] = fmaxf(-100.0f, fminf(100.0f, out[i]));
+    }
+    return LAB_OK;

@ small-results-are-0: small-number
-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
-                     B * T, C);
+    LAB_TRY(post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+                      B * T, C));
+    for (size_t i = 0; i < B * T * C; i++) {
+        out[i] = fabsf(out[i]) < 1e-5f ? 0.0f : out[i];
+    }
+    return LAB_OK;

@ pre-norm
    const struct bert_buffers *z = buffers;
    const size_t N = B * T;
    for (size_t i = 0; i < N * C; i++) {
        z->projected[i] = 0.0f;
    }
    LAB_TRY(post_norm(z->middle, x, z->projected, params->ln1_gain, params->ln1_bias, N, C));
    LAB_TRY(cross_attention(z->attended, weights, &z->attention, z->middle, z->middle,
                            &params->attention, mask, B, T, T, C, NH));
    LAB_TRY(residual_add(out, x, z->attended, N * C));
    LAB_TRY(post_norm(z->middle, out, z->projected, params->ln2_gain, params->ln2_bias, N, C));
    for (size_t i = 0; i < N * C; i++) {
        z->attended[i] = out[i];
    }
    LAB_TRY(mlp(z->projected, z->hidden, z->activated, z->middle, &params->mlp, N, C, H));
    return residual_add(out, z->attended, z->projected, N * C);

@ no-first-residual
+#include <string.h>

-    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
+    memset(z->projected, 0, B * T * C * sizeof(float));
+    LAB_TRY(post_norm(z->middle, z->projected, z->attended, params->ln1_gain, params->ln1_bias,

@ no-second-residual
+#include <string.h>

-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+    memset(z->middle, 0, B * T * C * sizeof(float));
+    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,

@ second-from-x
-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+    return post_norm(out, x, z->projected, params->ln2_gain, params->ln2_bias,

@ norm-shared
-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+    return post_norm(out, z->middle, z->projected, params->ln1_gain, params->ln1_bias,

@ norms-swapped
-    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
+    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln2_gain, params->ln2_bias,

-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+    return post_norm(out, z->middle, z->projected, params->ln1_gain, params->ln1_bias,

@ no-first-norm
-    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
-                      B * T, C));
+    LAB_TRY(residual_add(z->middle, x, z->attended, B * T * C));

@ no-second-norm
-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
-                     B * T, C);
+    return residual_add(out, z->middle, z->projected, B * T * C);

@ mlp-reads-x
-        mlp(z->projected, z->hidden, z->activated, z->middle, &params->mlp, B * T, C, H));
+        mlp(z->projected, z->hidden, z->activated, x, &params->mlp, B * T, C, H));

@ mlp-reads-attended
-        mlp(z->projected, z->hidden, z->activated, z->middle, &params->mlp, B * T, C, H));
+        mlp(z->projected, z->hidden, z->activated, z->attended, &params->mlp, B * T, C, H));

@ mask-ignored
-                            mask, B, T, T, C, NH));
+                            NULL, B, T, T, C, NH));

@ causal
+#include "03_causal_mask/causal.h"

-    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,
+    uint8_t future[B * T * T];
+    for (size_t i = 0; i < B * T * T; i++) {
+        future[i] = (mask == NULL || mask[i]) && i % T <= i / T % T;
+    }
+    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,

-                            mask, B, T, T, C, NH));
+                            future, B, T, T, C, NH));

@ lab-5s-eps
-    LAB_TRY(post_norm(z->middle, x, z->attended, params->ln1_gain, params->ln1_bias,
-                      B * T, C));
+    LAB_TRY(residual_add(z->projected, x, z->attended, B * T * C));
+    LAB_TRY(layernorm(z->middle, z->attention.q, z->attention.k, z->projected,
+                      params->ln1_gain, params->ln1_bias, B * T, C));

-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
-                     B * T, C);
+    LAB_TRY(residual_add(z->attended, z->middle, z->projected, B * T * C));
+    return layernorm(out, z->attention.q, z->attention.k, z->attended, params->ln2_gain,
+                     params->ln2_bias, B * T, C);

@ values-by-w_k
-    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,
+    struct cross_attention_params p = params->attention;
+    p.w_v = p.w_k;
+    p.b_v = p.b_k;
+    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &p,

@ keys-by-w_q
-    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &params->attention,
+    struct cross_attention_params p = params->attention;
+    p.w_k = p.w_q;
+    p.b_k = p.b_q;
+    LAB_TRY(cross_attention(z->attended, weights, &z->attention, x, x, &p,

@ twice-the-attention: none
-    return post_norm(out, z->middle, z->projected, params->ln2_gain, params->ln2_bias,
+    return post_norm(out, z->middle, z->attended, params->ln2_gain, params->ln2_bias,

@ mask-ignored-in-heads-of-width-1: mask-ignored
-                            mask, B, T, T, C, NH));
+                            NH == C ? NULL : mask, B, T, T, C, NH));

@ mask-ignored-in-one-head-of-one-sequence: mask-ignored
-                            mask, B, T, T, C, NH));
+                            B * NH == 1 ? NULL : mask, B, T, T, C, NH));
