// 8.6 language_block
    const size_t rows = B * T, hs = C / NH;
    const struct language_block_params *p = params;
    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, p->norm1, rows, C));
    const float *in = z->normed1;
    LAB_TRY(batched_linear(z->q, in, p->w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(z->k, in, p->w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(z->v, in, p->w_v, NULL, B, T, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
    for (size_t t = 0; t < T; t++) {
        z->positions[t] = t;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        z->mask[i] = i % T <= i / T % T;
    }
    const float *q = z->q_turned, *k = z->k_turned, *v = z->v_heads;
    LAB_TRY(rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs));
    LAB_TRY(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, q, k, v, z->mask,
                                         B, NH, T, T, hs));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    LAB_TRY(batched_linear(z->attended, z->merged, p->w_o, NULL, B, T, C, C));
    for (size_t i = 0; i < rows * C; i++) {
        z->middle[i] = x[i] + z->attended[i];
    }
    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
    const float *into = z->normed2;
    LAB_TRY(batched_linear(z->gate, into, p->w_gate, NULL, B, T, C, H));
    LAB_TRY(batched_linear(z->up, into, p->w_up, NULL, B, T, C, H));
    LAB_TRY(swiglu(z->hidden, z->gate, z->up, rows * H));
    LAB_TRY(batched_linear(z->projected, z->hidden, p->w_down, NULL, B, T, H, C));
    for (size_t i = 0; i < rows * C; i++) {
        out[i] = z->middle[i] + z->projected[i];
    }
    return LAB_OK;

@ own-softmax-without-maximum: none
-    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, q, k, v, z->mask,
-                                         B, NH, T, T, hs));
+    LAB_TRY(batched_matmul_nt(z->scores, q, k, B * NH, T, T, hs));
+    for (size_t n = 0; n < B * NH * T; n++) {
+        float *row = weights + n * T, sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            row[s] = s <= n % T ? expf(z->scores[n * T + s] / sqrtf((float)hs)) : 0.0f;
+            sum += row[s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            row[s] /= sum;
+        }
+    }
+    LAB_TRY(batched_matmul(z->out_heads, weights, v, B * NH, T, hs, T));

@ gate-and-up-swapped
-    LAB_TRY(swiglu(z->hidden, z->gate, z->up, rows * H));
+    LAB_TRY(swiglu(z->hidden, z->up, z->gate, rows * H));

@ heads-not-merged
+#include <string.h>

-    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
+    memcpy(z->merged, z->out_heads, rows * C * sizeof(float));

@ heads-not-split
+#include <string.h>

-    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
-    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
-    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
+    memcpy(z->q_heads, z->q, rows * C * sizeof(float));
+    memcpy(z->k_heads, z->k, rows * C * sizeof(float));
+    memcpy(z->v_heads, z->v, rows * C * sizeof(float));

@ mask-of-first-sequence
-    for (size_t i = 0; i < B * T * T; i++) {
+    for (size_t i = 0; i < T * T; i++) {

@ mlp-reads-normed1
-    const float *into = z->normed2;
+    const float *into = z->normed1;

@ no-first-residual
-        z->middle[i] = x[i] + z->attended[i];
+        z->middle[i] = z->attended[i];

@ no-mask
-        z->mask[i] = i % T <= i / T % T;
+        z->mask[i] = 1;

@ no-norm1
-    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, p->norm1, rows, C));
-    const float *in = z->normed1;
+    const float *in = x;

@ no-norm2
-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
-    const float *into = z->normed2;
+    const float *into = z->middle;

@ no-residuals
-        z->middle[i] = x[i] + z->attended[i];
+        z->middle[i] = z->attended[i];

-        out[i] = z->middle[i] + z->projected[i];
+        out[i] = z->projected[i];

@ no-rope
     for (size_t t = 0; t < T; t++) {
-        z->positions[t] = t;

-    const float *q = z->q_turned, *k = z->k_turned, *v = z->v_heads;
-    LAB_TRY(rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs));
-    LAB_TRY(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));
+    const float *q = z->q_heads, *k = z->k_heads, *v = z->v_heads;

@ no-second-residual
-        out[i] = z->middle[i] + z->projected[i];
+        out[i] = z->projected[i];

@ no-w_o
+#include <string.h>

-    LAB_TRY(batched_linear(z->attended, z->merged, p->w_o, NULL, B, T, C, C));
+    memcpy(z->attended, z->merged, rows * C * sizeof(float));

@ norm1-for-both
-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
+    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm1, rows, C));

@ norm2-of-x
-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
+    LAB_TRY(rmsnorm(z->normed2, z->rrms2, x, p->norm2, rows, C));

@ norms-swapped
-    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, p->norm1, rows, C));
+    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, p->norm2, rows, C));

-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
+    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm1, rows, C));

@ positions-0
-        z->positions[t] = t;
+        z->positions[t] = 0;

@ positions-from-1
-        z->positions[t] = t;
+        z->positions[t] = t + 1;

@ post-norm
-    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, p->norm1, rows, C));
-    const float *in = z->normed1;
+    const float *in = x;

-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
-    const float *into = z->normed2;
+    LAB_TRY(rmsnorm(z->normed1, z->rrms1, z->middle, p->norm1, rows, C));
+    const float *into = z->normed1;

     for (size_t i = 0; i < rows * C; i++) {
-        out[i] = z->middle[i] + z->projected[i];
-    }
-    return LAB_OK;
+        out[i] = z->normed1[i] + z->projected[i];
+    }
+    LAB_TRY(rmsnorm(z->normed2, z->rrms2, out, p->norm2, rows, C));
+    for (size_t i = 0; i < rows * C; i++) {
+        out[i] = z->normed2[i];
+    }
+    return LAB_OK;

@ qk-swapped
-    LAB_TRY(batched_linear(z->q, in, p->w_q, NULL, B, T, C, C));
-    LAB_TRY(batched_linear(z->k, in, p->w_k, NULL, B, T, C, C));
+    LAB_TRY(batched_linear(z->k, in, p->w_q, NULL, B, T, C, C));
+    LAB_TRY(batched_linear(z->q, in, p->w_k, NULL, B, T, C, C));

@ residual-of-normed1
-        z->middle[i] = x[i] + z->attended[i];
+        z->middle[i] = z->normed1[i] + z->attended[i];

@ residual-of-normed2
-        out[i] = z->middle[i] + z->projected[i];
+        out[i] = z->normed2[i] + z->projected[i];

@ rope-before-split
-    LAB_TRY(rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs));
-    LAB_TRY(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));
+    LAB_TRY(rope(z->q_heads, z->q, z->positions, B, 1, T, C));
+    LAB_TRY(rope(z->k_heads, z->k, z->positions, B, 1, T, C));
+    LAB_TRY(split_heads(z->q_turned, z->q_heads, B, T, C, NH));
+    LAB_TRY(split_heads(z->k_turned, z->k_heads, B, T, C, NH));

@ rope-on-q-alone
-    const float *q = z->q_turned, *k = z->k_turned, *v = z->v_heads;
+    const float *q = z->q_turned, *k = z->k_heads, *v = z->v_heads;

-    LAB_TRY(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));

@ rope-on-v
-    const float *q = z->q_turned, *k = z->k_turned, *v = z->v_heads;
+    const float *q = z->q_turned, *k = z->k_turned, *v = z->projected; // room for the rotated values
+    LAB_TRY(rope(z->projected, z->v_heads, z->positions, B, NH, T, hs));

@ second-residual-of-x
-        out[i] = z->middle[i] + z->projected[i];
+        out[i] = x[i] + z->projected[i];

@ up-from-w_gate
-    LAB_TRY(batched_linear(z->up, into, p->w_up, NULL, B, T, C, H));
+    LAB_TRY(batched_linear(z->up, into, p->w_gate, NULL, B, T, C, H));

@ v-of-x
-    LAB_TRY(batched_linear(z->v, in, p->w_v, NULL, B, T, C, C));
+    LAB_TRY(batched_linear(z->v, x, p->w_v, NULL, B, T, C, C));

@ turned-unused
-    const float *q = z->q_turned, *k = z->k_turned, *v = z->v_heads;
+    const float *q = z->q_heads, *k = z->k_heads, *v = z->v_heads;

@ itself-hidden
-        z->mask[i] = i % T <= i / T % T;
+        z->mask[i] = i % T < i / T % T;

@ positions-to-63: none
-        z->positions[t] = t;
+        z->positions[t] = t < 64 ? t : 63;

@ mask-of-300-sequences: none
-        z->mask[i] = i % T <= i / T % T;
+        z->mask[i] = i / T / T >= 300 || i % T <= i / T % T;

@ norm-buffers-used-twice: none
-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
-    const float *into = z->normed2;
+    LAB_TRY(rmsnorm(z->normed1, z->rrms1, z->middle, p->norm2, rows, C));
+    const float *into = z->normed1;

@ middle-in-out: none
-        z->middle[i] = x[i] + z->attended[i];
-    }
-    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, p->norm2, rows, C));
+        out[i] = x[i] + z->attended[i];
+    }
+    LAB_TRY(rmsnorm(z->normed2, z->rrms2, out, p->norm2, rows, C));

-        out[i] = z->middle[i] + z->projected[i];
+        out[i] += z->projected[i];
