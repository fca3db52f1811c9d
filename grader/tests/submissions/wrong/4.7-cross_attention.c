// 4.7 cross_attention
    const struct cross_attention_buffers *z = buffers;
    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
                                         C / NH));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);

@ tiny-for-forbidden: forbidden-keys
-    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
+    for (size_t i = 0; i < B * NH * T * S; i++) {
+        if (mask != NULL && !mask[i / (NH * T * S) * T * S + i % (T * S)]) {
+            weights[i] = 1e-12f;
+        }
+    }
+    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));

@ status-of-one-of-four-ignored: status-ignored
+#include "02_batching/batching.h"
+
+static lab_status project(float *y, const float *x, const float *w, const float *bias, size_t B,
+                          size_t N, size_t C)
+{
+    return batched_linear(y, x, w, bias, B, N, C, C);
+}

-    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
-    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    LAB_TRY(project(z->q, x, params->w_q, params->b_q, B, T, C));
+    (void)project(z->k, memory, params->w_k, params->b_k, B, S, C);
+    LAB_TRY(project(z->v, memory, params->w_v, params->b_v, B, S, C));

-    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
+    return project(out, z->merged, params->w_o, params->b_o, B, T, C);

@ status-of-one-of-five-ignored: status-ignored
+#include "02_batching/batching.h"
+
+static lab_status project(float *y, const float *x, const float *w, const float *bias, size_t B,
+                          size_t N, size_t C)
+{
+    return batched_linear(y, x, w, bias, B, N, C, C);
+}

-    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
-    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    LAB_TRY(project(out, x, params->w_q, params->b_q, B, T, C));
+    LAB_TRY(project(z->q, x, params->w_q, params->b_q, B, T, C));
+    LAB_TRY(project(z->k, memory, params->w_k, params->b_k, B, S, C));
+    (void)project(z->v, memory, params->w_v, params->b_v, B, S, C);

-    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
+    return project(out, z->merged, params->w_o, params->b_o, B, T, C);

@ small-weights-are-0: small-number
-    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
+    LAB_TRY(batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C));
+    for (size_t i = 0; i < B * NH * T * S; i++) {
+        weights[i] = weights[i] < 1e-6f ? 0.0f : weights[i];
+    }
+    return LAB_OK;

@ results-at-most-100: none
-    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
+    LAB_TRY(batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C));
+    for (size_t i = 0; i < B * T * C; i++) {
+        out[i] = fminf(out[i], 100.0f);
+    }
+    return LAB_OK;

@ small-results-are-0: small-number
-    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
+    LAB_TRY(batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C));
+    for (size_t i = 0; i < B * T * C; i++) {
+        out[i] = fabsf(out[i]) < 1e-6f ? 0.0f : out[i];
+    }
+    return LAB_OK;

@ own-softmax-without-maximum: none
-    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
-                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
-                                         C / NH));
+    LAB_TRY(batched_matmul_nt(z->scores, z->q_heads, z->k_heads, B * NH, T, S, (C / NH)));
+    for (size_t n = 0; n < B * NH * T; n++) {
+        float *row = weights + n * S, sum = 0.0f;
+        for (size_t s = 0; s < S; s++) {
+            row[s] = mask == NULL || mask[(n / (NH * T) * T + n % T) * S + s] ? expf(z->scores[n * S + s] / sqrtf((float)(C / NH))) : 0.0f;
+            sum += row[s];
+        }
+        for (size_t s = 0; s < S; s++) {
+            row[s] /= sum;
+        }
+    }
+    LAB_TRY(batched_matmul(z->out_heads, weights, z->v_heads, B * NH, T, (C / NH), S));

@ memory-is-x-if-as-long: none
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    memory = S == T ? x : memory;
+    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));

@ T-for-S-after-projections
-    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));
-    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));
+    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
+    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));

-                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
+                                         z->k_heads, z->v_heads, mask, B, NH, T, T,

@ T-for-S-in-attention
-                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
+                                         z->k_heads, z->v_heads, mask, B, NH, T, T,

@ T-for-S-in-split
-    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));
-    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));
+    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
+    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));

@ T-for-S-in-k-projected
-    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
+    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, T, C, C));

@ T-for-S-in-v-projected
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, T, C, C));

@ T-for-S-in-k-split
-    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));
+    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));

@ T-for-S-in-v-split
-    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));
+    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));

@ b_q-with-b_v: no-bias
-    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
+    const float *b_q = params->b_v != NULL ? params->b_q : NULL;
+    LAB_TRY(batched_linear(z->q, x, params->w_q, b_q, B, T, C, C));

@ causal-when-square
+    uint8_t square[5 * 71 * 71];
+    if (mask == NULL && T == S) {
+        for (size_t b = 0; b < B; b++) {
+            LAB_TRY(causal_mask(square + b * T * T, T, T));
+        }
+        mask = square;
+    }
     LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,

@ k-by-w_q
-    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
+    LAB_TRY(batched_linear(z->k, memory, params->w_q, params->b_q, B, S, C, C));

@ v-by-w_k-alone
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    LAB_TRY(batched_linear(z->v, memory, params->w_k, params->b_v, B, S, C, C));

@ v-by-w_k
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    LAB_TRY(batched_linear(z->v, memory, params->w_k, params->b_k, B, S, C, C));

@ v-with-b_k
-    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
+    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_k, B, S, C, C));

@ one-query-needs-no-mask: mask-ignored
-    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
-                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
-                                         C / NH));
+    mask = B == 1 && T == 1 ? NULL : mask;
+    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
+                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
+                                         C / NH));

@ right-step-by-step
    lab_status status = LAB_OK;
    if (status == LAB_OK) {
        status = batched_linear(buffers->q, x, params->w_q, params->b_q, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->k_heads, buffers->k, B, S, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->v_heads, buffers->v, B, S, C, NH);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(
            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;

@ T-for-S
-        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
+        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, T, C, C);

-        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
+        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, T, C, C);

-        status = split_heads(buffers->k_heads, buffers->k, B, S, C, NH);
+        status = split_heads(buffers->k_heads, buffers->k, B, T, C, NH);

-        status = split_heads(buffers->v_heads, buffers->v, B, S, C, NH);
+        status = split_heads(buffers->v_heads, buffers->v, B, T, C, NH);

-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+            buffers->k_heads, buffers->v_heads, mask, B, NH, T, T, C / NH);

@ causal
+    uint8_t look[1 << 14];
+    for (size_t i = 0; i < B * T * S; i++) {
+        look[i] = i % S <= i / S % T;
+    }
+    (void)mask;
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+            buffers->k_heads, buffers->v_heads, look, B, NH, T, S, C / NH);

@ fully-masked-nan
+    float *scores = buffers->scores;
     if (status == LAB_OK) {
-        status = scaled_dot_product_attention(
-            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+        status = batched_matmul_nt(scores, buffers->q_heads, buffers->k_heads, B * NH, T,
+                                   S, C / NH);
+    }
+    for (size_t i = 0; i < B * NH * T * S; i++) {
+        const uint8_t allowed =
+            mask == NULL || mask[i / (NH * T * S) * T * S + i % (T * S)];
+        scores[i] = (allowed ? scores[i] : -INFINITY) / sqrtf((float)(C / NH));
+    }
+    for (size_t n = 0; n < B * NH * T; n++) {
+        const float *row = scores + n * S;
+        float max = -INFINITY, sum = 0.0f;
+        for (size_t s = 0; s < S; s++) {
+            max = fmaxf(max, row[s]);
+        }
+        for (size_t s = 0; s < S; s++) {
+            weights[n * S + s] = expf(row[s] - max);
+            sum += weights[n * S + s];
+        }
+        for (size_t s = 0; s < S; s++) {
+            weights[n * S + s] /= sum;
+        }
+    }
+    if (status == LAB_OK) {
+        status = batched_matmul(buffers->out_heads, weights, buffers->v_heads, B * NH, T,
+                                C / NH, S);

@ fully-masked-uniform
+    float *scores = buffers->scores;
     if (status == LAB_OK) {
-        status = scaled_dot_product_attention(
-            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+        status = batched_matmul_nt(scores, buffers->q_heads, buffers->k_heads, B * NH, T,
+                                   S, C / NH);
+    }
+    for (size_t i = 0; i < B * NH * T * S; i++) {
+        const uint8_t allowed =
+            mask == NULL || mask[i / (NH * T * S) * T * S + i % (T * S)];
+        scores[i] = (allowed ? scores[i] : -1e9f) / sqrtf((float)(C / NH));
+    }
+    if (status == LAB_OK) {
+        status = batched_softmax(weights, scores, B * NH, T, S);
+    }
+    if (status == LAB_OK) {
+        status = batched_matmul(buffers->out_heads, weights, buffers->v_heads, B * NH, T,
+                                C / NH, S);

@ in-out
-        status = batched_linear(buffers->q, x, params->w_q, params->b_q, B, T, C, C);
+        status = matmul(buffers->q, x, params->w_q, B * T, C, C);
+    }
+    for (size_t i = 0; i < B * T * C && params->b_q != NULL; i++) {
+        buffers->q[i] += params->b_q[i % C];

-        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
+        status = matmul(buffers->k, memory, params->w_k, B * S, C, C);
+    }
+    for (size_t i = 0; i < B * S * C && params->b_k != NULL; i++) {
+        buffers->k[i] += params->b_k[i % C];

-        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
+        status = matmul(buffers->v, memory, params->w_v, B * S, C, C);
+    }
+    for (size_t i = 0; i < B * S * C && params->b_v != NULL; i++) {
+        buffers->v[i] += params->b_v[i % C];

-        status =
-            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
+        status = matmul(out, buffers->merged, params->w_o, B * T, C, C);
+    }
+    for (size_t i = 0; i < B * T * C && params->b_o != NULL; i++) {
+        out[i] += params->b_o[i % C];

@ k-v-exchanged
-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+            buffers->v_heads, buffers->k_heads, mask, B, NH, T, S, C / NH);

@ k-v-not-transposed
-    if (status == LAB_OK) {
-        status = split_heads(buffers->k_heads, buffers->k, B, S, C, NH);
-    }
-    if (status == LAB_OK) {
-        status = split_heads(buffers->v_heads, buffers->v, B, S, C, NH);
-    }
+    memcpy(buffers->k_heads, buffers->k, B * S * C * sizeof(float));
+    memcpy(buffers->v_heads, buffers->v, B * S * C * sizeof(float));

@ mask-ignored
-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+            buffers->k_heads, buffers->v_heads, NULL, B, NH, T, S, C / NH);

@ mask-inverted
+    float *scores = buffers->scores;
     if (status == LAB_OK) {
-        status = scaled_dot_product_attention(
-            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+        status = batched_matmul_nt(scores, buffers->q_heads, buffers->k_heads, B * NH, T,
+                                   S, C / NH);
+    }
+    for (size_t i = 0; i < B * NH * T * S; i++) {
+        const uint8_t allowed =
+            mask == NULL || mask[i / (NH * T * S) * T * S + i % (T * S)];
+        scores[i] =
+            (mask != NULL && allowed ? -INFINITY : scores[i]) / sqrtf((float)(C / NH));
+    }
+    if (status == LAB_OK) {
+        status = batched_softmax(weights, scores, B * NH, T, S);
+    }
+    if (status == LAB_OK) {
+        status = batched_matmul(buffers->out_heads, weights, buffers->v_heads, B * NH, T,
+                                C / NH, S);

@ merged-by-reshape
-    if (status == LAB_OK) {
-        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
-    }
+    memcpy(buffers->merged, buffers->out_heads, B * T * C * sizeof(float));

@ no-b_o
-        status =
-            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
+        status = batched_linear(out, buffers->merged, params->w_o, NULL, B, T, C, C);

@ no-bias
-        status = batched_linear(buffers->q, x, params->w_q, params->b_q, B, T, C, C);
+        status = batched_linear(buffers->q, x, params->w_q, NULL, B, T, C, C);

-        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
+        status = batched_linear(buffers->k, memory, params->w_k, NULL, B, S, C, C);

-        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
+        status = batched_linear(buffers->v, memory, params->w_v, NULL, B, S, C, C);

-        status =
-            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
+        status = batched_linear(out, buffers->merged, params->w_o, NULL, B, T, C, C);

@ no-output-projection
-    if (status == LAB_OK) {
-        status =
-            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
-    }
+    memcpy(out, buffers->merged, B * T * C * sizeof *out);

@ no-scale
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * T * C; i++) {
+        buffers->q_heads[i] *= sqrtf((float)hs);
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

@ q-not-transposed
-    if (status == LAB_OK) {
-        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
-    }
+    memcpy(buffers->q_heads, buffers->q, B * T * C * sizeof(float));

@ queries-from-memory
-        status = batched_linear(buffers->q, x, params->w_q, params->b_q, B, T, C, C);
+        status = batched_linear(buffers->q, memory, params->w_q, params->b_q, B, T, C, C);

@ reshape-alone
-    if (status == LAB_OK) {
-        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
-    }
-    if (status == LAB_OK) {
-        status = split_heads(buffers->k_heads, buffers->k, B, S, C, NH);
-    }
-    if (status == LAB_OK) {
-        status = split_heads(buffers->v_heads, buffers->v, B, S, C, NH);
-    }
+    memcpy(buffers->q_heads, buffers->q, B * T * C * sizeof(float));
+    memcpy(buffers->k_heads, buffers->k, B * S * C * sizeof(float));
+    memcpy(buffers->v_heads, buffers->v, B * S * C * sizeof(float));

@ same-projection
-        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
+        status = batched_linear(buffers->k, memory, params->w_q, params->b_q, B, S, C, C);

-        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
+        status = batched_linear(buffers->v, memory, params->w_q, params->b_q, B, S, C, C);

@ self-attention
-        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
+        status = batched_linear(buffers->k, x, params->w_k, params->b_k, B, T, C, C);

-        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
+        status = batched_linear(buffers->v, x, params->w_v, params->b_v, B, T, C, C);

-        status = split_heads(buffers->k_heads, buffers->k, B, S, C, NH);
+        status = split_heads(buffers->k_heads, buffers->k, B, T, C, NH);

-        status = split_heads(buffers->v_heads, buffers->v, B, S, C, NH);
+        status = split_heads(buffers->v_heads, buffers->v, B, T, C, NH);

-            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
+            buffers->k_heads, buffers->v_heads, mask, B, NH, T, T, C / NH);

@ sqrt-C
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * T * C; i++) {
+        buffers->q_heads[i] *= sqrtf((float)hs / (float)C);
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(
