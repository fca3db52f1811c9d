// 4.6 multi_head_attention
    const struct attention_buffers *z = buffers;
    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C));
    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));

    const uint8_t *mask = NULL; // every key allowed
    if (causal) {
        for (size_t b = 0; b < B; b++) {
            LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
        }
        mask = z->mask;
    }
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, T,
                                         C / NH));

    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);

@ small-weights-are-0: small-number
-    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
+    LAB_TRY(batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C));
+    for (size_t i = 0; i < B * NH * T * T; i++) {
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
-                                         z->k_heads, z->v_heads, mask, B, NH, T, T,
-                                         C / NH));
+    LAB_TRY(batched_matmul_nt(z->scores, z->q_heads, z->k_heads, B * NH, T, T, (C / NH)));
+    for (size_t n = 0; n < B * NH * T; n++) {
+        float *row = weights + n * T, sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            row[s] = mask == NULL || mask[n % T * T + s] ? expf(z->scores[n * T + s] / sqrtf((float)(C / NH))) : 0.0f;
+            sum += row[s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            row[s] /= sum;
+        }
+    }
+    LAB_TRY(batched_matmul(z->out_heads, weights, z->v_heads, B * NH, T, (C / NH), T));

@ mask-kept-if-it-looks-causal: reads-old-output
-            LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
+            uint8_t *mask_b = z->mask + b * T * T;
+            if (mask_b[T * T - 1] != 1 || (T > 1 && mask_b[1] != 0)) {
+                LAB_TRY(causal_mask(mask_b, T, T));
+            }

@ status-of-the-mask: status-ignored
-            LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
+            if (causal_mask(z->mask + b * T * T, T, T)) {
+            }

@ keys-are-queries
-    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
+    LAB_TRY(split_heads(z->k_heads, z->q, B, T, C, NH));

@ never-transposed
    lab_status status =
        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
    if (status == LAB_OK) {
        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
    }
    memcpy(buffers->q_heads, buffers->q, B * T * C * sizeof(float));
    memcpy(buffers->k_heads, buffers->k, B * T * C * sizeof(float));
    memcpy(buffers->v_heads, buffers->v, B * T * C * sizeof(float));
    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
        status = causal_mask(buffers->mask + b * T * T, T, T);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(
            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
            T, C / NH);
    }
    memcpy(buffers->merged, buffers->out_heads, B * T * C * sizeof(float));
    if (status == LAB_OK) {
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;

@ stale-mask: mask-always-used
    // the mask is passed on, but it is not set if the call is not causal
    const struct attention_buffers *z = buffers;
    lab_status status =
        batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
    if (status == LAB_OK) {
        status = split_qkv(z->q, z->k, z->v, z->qkv, B, T, C);
    }
    if (status == LAB_OK) {
        status = split_heads(z->q_heads, z->q, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(z->k_heads, z->k, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(z->v_heads, z->v, B, T, C, NH);
    }
    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
        status = causal_mask(z->mask + b * T * T, T, T);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                              z->k_heads, z->v_heads, z->mask, B, NH, T, T,
                                              C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(z->merged, z->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;

@ q-k-exchanged: order-k-q-v
-    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
-                                         z->k_heads, z->v_heads, mask, B, NH, T, T,
+    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->k_heads,
+                                         z->q_heads, z->v_heads, mask, B, NH, T, T,

@ values-are-keys
-    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
+    LAB_TRY(split_heads(z->v_heads, z->k, B, T, C, NH));

@ values-are-queries
-    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
+    LAB_TRY(split_heads(z->v_heads, z->q, B, T, C, NH));

@ narrow-input-without-bias: no-b_qkv
-    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C));
+    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, C_in > 1 ? params->b_qkv : NULL, B, T, C_in,
+                           3 * C));

@ right-step-by-step
    lab_status status =
        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
    if (status == LAB_OK) {
        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->k_heads, buffers->k, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->v_heads, buffers->v, B, T, C, NH);
    }
    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
        status = causal_mask(buffers->mask + b * T * T, T, T);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(
            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
            T, C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;

@ always-causal
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
+    for (size_t b = 0; b < B && status == LAB_OK; b++) {

-            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
-            T, C / NH);
+            buffers->k_heads, buffers->v_heads, buffers->mask, B, NH, T, T, C / NH);

@ diagonal-excluded
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
-        status = causal_mask(buffers->mask + b * T * T, T, T);
+    for (size_t i = 0; i < B * T * T; i++) {
+        const size_t t = i / T % T, s = i % T;
+        buffers->mask[i] = s < t;

@ down-columns
-    if (status == LAB_OK) {
-        status = scaled_dot_product_attention(
-            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
-            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
-            T, C / NH);
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * NH; i++) {
+        const float *q = buffers->q_heads + i * T * hs,
+                    *k = buffers->k_heads + i * T * hs;
+        float *scores = buffers->scores + i * T * T, *w = weights + i * T * T;
+        if (status == LAB_OK) {
+            status = matmul_nt(scores, q, k, T, T, hs);
+        }
+        for (size_t s = 0; s < T; s++) {
+            float max = -INFINITY, sum = 0.0f;
+            for (size_t t = causal ? s : 0; t < T; t++) {
+                max = fmaxf(max, scores[t * T + s]);
+            }
+            for (size_t t = 0; t < T; t++) {
+                const bool hidden = causal && s > t;
+                const float ahead = scores[t * T + s] - max;
+                w[t * T + s] = hidden ? 0.0f : expf(ahead / sqrtf((float)hs));
+                sum += w[t * T + s];
+            }
+            for (size_t t = 0; t < T; t++) {
+                w[t * T + s] /= sum;
+            }
+        }
+        if (status == LAB_OK) {
+            status = matmul(buffers->out_heads + i * T * hs, w,
+                            buffers->v_heads + i * T * hs, T, hs, T);
+        }

@ down-columns-without-maximum: none
-    if (status == LAB_OK) {
-        status = scaled_dot_product_attention(
-            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
-            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
-            T, C / NH);
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * NH; i++) {
+        const float *q = buffers->q_heads + i * T * hs,
+                    *k = buffers->k_heads + i * T * hs;
+        float *scores = buffers->scores + i * T * T, *w = weights + i * T * T;
+        if (status == LAB_OK) {
+            status = matmul_nt(scores, q, k, T, T, hs);
+        }
+        for (size_t s = 0; s < T; s++) {
+            float sum = 0.0f;
+            for (size_t t = 0; t < T; t++) {
+                const bool hidden = causal && s > t;
+                w[t * T + s] = hidden ? 0.0f : expf(scores[t * T + s] / sqrtf((float)hs));
+                sum += w[t * T + s];
+            }
+            for (size_t t = 0; t < T; t++) {
+                w[t * T + s] /= sum;
+            }
+        }
+        if (status == LAB_OK) {
+            status = matmul(buffers->out_heads + i * T * hs, w,
+                            buffers->v_heads + i * T * hs, T, hs, T);
+        }

@ flag-inverted
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
+    for (size_t b = 0; b < B && status == LAB_OK; b++) {

-            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
+            buffers->k_heads, buffers->v_heads, causal ? NULL : buffers->mask, B, NH, T,

@ input-split
-    lab_status status =
-        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
+    const size_t hs = C / NH, part = C_in / NH;
+    const float *bias = params->b_qkv;
+    for (size_t n = 0; n < B * T; n++) {
+        for (size_t h = 0; h < NH; h++) {
+            const float *x_nh = x + n * C_in + h * part;
+            for (size_t third = 0; third < 3; third++) {
+                for (size_t o = 0; o < hs; o++) {
+                    const float *w = params->w_qkv + (third * C + o) * C_in;
+                    float sum = bias == NULL ? 0.0f : bias[third * C + o];
+                    for (size_t i = 0; i < part; i++) {
+                        sum += x_nh[i] * w[i];
+                    }
+                    buffers->qkv[n * 3 * C + third * C + h * hs + o] = sum;
+                }
+            }
+        }
+    }
+    lab_status status = LAB_OK;

@ k-not-transposed
-    if (status == LAB_OK) {
-        status = split_heads(buffers->k_heads, buffers->k, B, T, C, NH);
-    }
+    memcpy(buffers->k_heads, buffers->k, B * T * C * sizeof(float));

@ keys-of-head-0
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * NH; i++) { // one set of keys and values is enough
+        const size_t from = i / NH * NH * T * hs;
+        memmove(buffers->k_heads + i * T * hs, buffers->k_heads + from,
+                T * hs * sizeof(float));
+        memmove(buffers->v_heads + i * T * hs, buffers->v_heads + from,
+                T * hs * sizeof(float));
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

@ mask-inverted
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
-        status = causal_mask(buffers->mask + b * T * T, T, T);
+    for (size_t i = 0; i < B * T * T; i++) {
+        const size_t t = i / T % T, s = i % T;
+        buffers->mask[i] = s > t;

@ mask-of-sequence-0-only
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
-        status = causal_mask(buffers->mask + b * T * T, T, T);
+    if (status == LAB_OK && causal) {
+        status = causal_mask(buffers->mask, T, T);

@ mask-upside-down
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
-        status = causal_mask(buffers->mask + b * T * T, T, T);
+    for (size_t i = 0; i < B * T * T; i++) {
+        const size_t t = i / T % T, s = i % T;
+        buffers->mask[i] = t <= s;

@ merged-by-reshape
-    if (status == LAB_OK) {
-        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
-    }
+    memcpy(buffers->merged, buffers->out_heads, B * T * C * sizeof(float));

@ multiplied
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * T * C; i++) {
+        buffers->q_heads[i] *= (float)hs;
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

@ never-causal
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
-        status = causal_mask(buffers->mask + b * T * T, T, T);
-    }

-            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
-            T, C / NH);
+            buffers->k_heads, buffers->v_heads, NULL, B, NH, T, T, C / NH);

@ no-b_o
-        status =
-            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
+        status = batched_linear(out, buffers->merged, params->w_o, NULL, B, T, C, C);

@ no-b_qkv
-        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
+        batched_linear(buffers->qkv, x, params->w_qkv, NULL, B, T, C_in, 3 * C);

@ no-bias
-        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
+        batched_linear(buffers->qkv, x, params->w_qkv, NULL, B, T, C_in, 3 * C);

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

@ order-k-q-v
-        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
+        status = split_qkv(buffers->k, buffers->q, buffers->v, buffers->qkv, B, T, C);

@ order-q-v-k
-        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
+        status = split_qkv(buffers->q, buffers->v, buffers->k, buffers->qkv, B, T, C);

@ order-v-k-q
-        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
+        status = split_qkv(buffers->v, buffers->k, buffers->q, buffers->qkv, B, T, C);

@ over-hs
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * T * C; i++) {
+        buffers->q_heads[i] *= 1.0f / sqrtf((float)hs);
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

@ q-not-transposed
-    if (status == LAB_OK) {
-        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
-    }
+    memcpy(buffers->q_heads, buffers->q, B * T * C * sizeof(float));

@ qkv-blocks
-    if (status == LAB_OK) {
-        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
+    for (size_t n = 0; n < B * T; n++) {
+        for (size_t c = 0; c < C; c++) {
+            buffers->q[n * C + c] = buffers->qkv[n * C + c];
+            buffers->k[n * C + c] = buffers->qkv[(B * T + n) * C + c];
+            buffers->v[n * C + c] = buffers->qkv[(2 * B * T + n) * C + c];
+        }

@ qkv-in-turns
-    if (status == LAB_OK) {
-        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
+    for (size_t n = 0; n < B * T; n++) {
+        for (size_t c = 0; c < C; c++) {
+            buffers->q[n * C + c] = buffers->qkv[(n * C + c) * 3];
+            buffers->k[n * C + c] = buffers->qkv[(n * C + c) * 3 + 1];
+            buffers->v[n * C + c] = buffers->qkv[(n * C + c) * 3 + 2];
+        }

@ qkv-per-head
-    if (status == LAB_OK) {
-        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
+    const size_t hs = C / NH;
+    for (size_t n = 0; n < B * T; n++) {
+        for (size_t h = 0; h < NH; h++) {
+            const float *head =
+                buffers->qkv + (n * NH + h) * 3 * hs; // q, k, v of this head
+            memcpy(buffers->q + n * C + h * hs, head, hs * sizeof(float));
+            memcpy(buffers->k + n * C + h * hs, head + hs, hs * sizeof(float));
+            memcpy(buffers->v + n * C + h * hs, head + 2 * hs, hs * sizeof(float));
+        }

@ reshape-alone
-    if (status == LAB_OK) {
-        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
-    }
-    if (status == LAB_OK) {
-        status = split_heads(buffers->k_heads, buffers->k, B, T, C, NH);
-    }
-    if (status == LAB_OK) {
-        status = split_heads(buffers->v_heads, buffers->v, B, T, C, NH);
-    }
+    memcpy(buffers->q_heads, buffers->q, B * T * C * sizeof(float));
+    memcpy(buffers->k_heads, buffers->k, B * T * C * sizeof(float));
+    memcpy(buffers->v_heads, buffers->v, B * T * C * sizeof(float));

@ sees-next
-    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
-        status = causal_mask(buffers->mask + b * T * T, T, T);
+    for (size_t i = 0; i < B * T * T; i++) {
+        const size_t t = i / T % T, s = i % T;
+        buffers->mask[i] = s <= t + 1;

@ sqrt-C
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * T * C; i++) {
+        buffers->q_heads[i] *= sqrtf((float)hs) / sqrtf((float)C);
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

@ sqrt-NH
+    const size_t hs = C / NH;
+    for (size_t i = 0; i < B * T * C; i++) {
+        buffers->q_heads[i] *= sqrtf((float)hs / (float)NH);
+    }
     if (status == LAB_OK) {
         status = scaled_dot_product_attention(

@ v-not-transposed
-    if (status == LAB_OK) {
-        status = split_heads(buffers->v_heads, buffers->v, B, T, C, NH);
-    }
+    memcpy(buffers->v_heads, buffers->v, B * T * C * sizeof(float));

@ w_o-in-out
-        status =
-            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
+        status = matmul(out, buffers->merged, params->w_o, B * T, C, C);
+    }
+    for (size_t i = 0; i < B * T * C && params->b_o != NULL && status == LAB_OK; i++) {
+        out[i] += params->b_o[i % (C)];

@ w_qkv-in-out
-        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
+        batched_matmul(buffers->qkv, x, params->w_qkv, 1, B * T, 3 * C, C_in);
+    for (size_t i = 0; i < B * T * 3 * C && params->b_qkv != NULL && status == LAB_OK;
+         i++) {
+        buffers->qkv[i] += params->b_qkv[i % (3 * C)];
+    }
