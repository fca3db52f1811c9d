// 3.4 causal_attention
    lab_status status;
    if ((status = batched_linear(q, x, w_q, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(k, x, w_k, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(v, x, w_v, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_matmul_nt(scores, q, k, B, T, T, C)) != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] = scores[i] / sqrtf((float)C);
    }
    status = causal_mask(mask, T, T);
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B, T, C, T);

@ small-results-are-0: small-number
-    return batched_matmul(out, weights, v, B, T, C, T);
+    status = batched_matmul(out, weights, v, B, T, C, T);
+    for (size_t i = 0; i < B * T * C; i++) {
+        out[i] = fabsf(out[i]) < 1e-7f ? 0.0f : out[i];
+    }
+    return status;

@ max-of-sequence
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        float *scores_b = scores + b * T * T, max = -INFINITY;
+        for (size_t i = 0; i < T * T; i++) {
+            max = mask[i] ? fmaxf(max, scores_b[i]) : max;
+        }
+        for (size_t t = 0; t < T; t++) {
+            float *row = weights + (b * T + t) * T, sum = 0.0f;
+            for (size_t s = 0; s < T; s++) {
+                row[s] = mask[t * T + s] ? expf(scores_b[t * T + s] - max) : 0.0f;
+                sum += row[s];
+            }
+            for (size_t s = 0; s < T; s++) {
+                row[s] = sum > 0.0f ? row[s] / sum : 0.0f;
+            }
+        }

@ max-of-sequence-nan
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        float *scores_b = scores + b * T * T, max = -INFINITY;
+        for (size_t i = 0; i < T * T; i++) {
+            max = mask[i] ? fmaxf(max, scores_b[i]) : max;
+        }
+        for (size_t t = 0; t < T; t++) {
+            float *row = weights + (b * T + t) * T, sum = 0.0f;
+            for (size_t s = 0; s < T; s++) {
+                row[s] = mask[t * T + s] ? expf(scores_b[t * T + s] - max) : 0.0f;
+                sum += row[s];
+            }
+            for (size_t s = 0; s < T; s++) {
+                row[s] /= sum;
+            }
+        }

@ no-max
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        for (size_t t = 0; t < T; t++) {
+            float *row = weights + (b * T + t) * T, sum = 0.0f;
+            for (size_t s = 0; s < T; s++) {
+                row[s] = s <= t ? expf(scores[(b * T + t) * T + s]) : 0.0f;
+                sum += row[s];
+            }
+            for (size_t s = 0; s < T; s++) {
+                row[s] = sum > 0.0f ? row[s] / sum : 0.0f;
+            }
+        }

@ no-max-nan
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        for (size_t t = 0; t < T; t++) {
+            float *row = weights + (b * T + t) * T, sum = 0.0f;
+            for (size_t s = 0; s < T; s++) {
+                row[s] = s <= t ? expf(scores[(b * T + t) * T + s]) : 0.0f;
+                sum += row[s];
+            }
+            for (size_t s = 0; s < T; s++) {
+                row[s] /= sum;
+            }
+        }

@ no-max-allowed-nan
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        for (size_t t = 0; t < T; t++) {
+            float *row = weights + (b * T + t) * T, sum = 0.0f;
+            for (size_t s = 0; s < T; s++) {
+                row[s] = s <= t ? expf(scores[(b * T + t) * T + s]) : 0.0f;
+                sum += row[s];
+            }
+            for (size_t s = 0; s <= t; s++) {
+                row[s] /= sum;
+            }
+        }

@ max-of-magnitudes: none
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        for (size_t t = 0; t < T; t++) {
+            const float *in = scores + (b * T + t) * T;
+            float *row = weights + (b * T + t) * T, max = 0.0f, sum = 0.0f;
+            for (size_t s = 0; s <= t; s++) {
+                max = fmaxf(max, fabsf(in[s]));
+            }
+            for (size_t s = 0; s < T; s++) {
+                row[s] = s <= t ? expf(in[s] - max) : 0.0f;
+                sum += row[s];
+            }
+            for (size_t s = 0; s < T; s++) {
+                row[s] = sum > 0.0f ? row[s] / sum : 0.0f;
+            }
+        }

@ mask-kept-if-it-looks-causal: reads-old-output
-    status = causal_mask(mask, T, T);
+    if (T == 1 || mask[0] != 1 || mask[1] != 0) {
+        status = causal_mask(mask, T, T);
+    }

@ diagonal-excluded
-    status = causal_mask(mask, T, T);
+    for (size_t t = 0; t < T; t++) {
+        for (size_t s = 0; s < T; s++) {
+            mask[t * T + s] = s < t;
+        }
+    }

@ mask-after
-    for (size_t b = 0; b < B && status == LAB_OK; b++) {
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+    if (status == LAB_OK) {
+        status = batched_softmax(weights, scores, B, T, T);
+    }
+    for (size_t i = 0; i < B * T * T; i++) {
+        weights[i] *= mask[i % (T * T)];

@ minus-10000
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        float *scores_b = scores + b * T * T;
+        for (size_t i = 0; i < T * T; i++) {
+            scores_b[i] = mask[i] ? scores_b[i] : -10000.0f;
+        }
+        status = batched_softmax(weights + b * T * T, scores_b, 1, T, T);

@ added-minus-1e9
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
+        float *scores_b = scores + b * T * T;
+        for (size_t i = 0; i < T * T; i++) {
+            if (mask[i] == 0) {
+                scores_b[i] += -1e9f;
+            }
+        }
+        status = batched_softmax(weights + b * T * T, scores_b, 1, T, T);

@ at-least-1e-13: future-is-hidden
-    return batched_matmul(out, weights, v, B, T, C, T);
+    for (size_t i = 0; i < B * T * T; i++) {
+        weights[i] = fmaxf(weights[i], 1e-13f);
+    }
+    return batched_matmul(out, weights, v, B, T, C, T);

@ minus-30: added-minus-1e9
    lab_status status;
    if ((status = batched_linear(q, x, w_q, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(k, x, w_k, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(v, x, w_v, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_matmul_nt(scores, q, k, B, T, T, C)) != LAB_OK ||
        (status = causal_mask(mask, T, T)) != LAB_OK) {
        return status;
    }
    // exp(-30) is 0.0000000000001: small, but not 0
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] = scores[i] / sqrtf((float)C) - (mask[i % (T * T)] ? 0.0f : 30.0f);
    }
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B, T, C, T);

@ no-mask
-    status = causal_mask(mask, T, T);
-    for (size_t b = 0; b < B && status == LAB_OK; b++) {
-        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
-    }
+    (void)mask;
+    status = batched_softmax(weights, scores, B, T, T);

@ no-scale
-        scores[i] = scores[i] / sqrtf((float)C);
+        scores[i] = scores[i] / 1.0f;

@ one-sequence
    lab_status status = causal_mask(mask, T, T);
    if (status == LAB_OK) {
        status = batched_linear(q, x, w_q, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(k, x, w_k, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(v, x, w_v, NULL, B, T, C, C);
    }
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        float *scores_b = scores + b * T * T;
        status = matmul_nt(scores_b, q + b * T * C, k, T, T, C);
        for (size_t i = 0; i < T * T; i++) {
            scores_b[i] /= sqrtf((float)C);
        }
        if (status == LAB_OK) {
            status = masked_softmax(weights + b * T * T, scores_b, mask, T, T);
        }
        if (status == LAB_OK) {
            status = matmul(out + b * T * C, weights + b * T * T, v, T, C, T);
        }
    }
    return status;

@ over-C
-        scores[i] = scores[i] / sqrtf((float)C);
+        scores[i] = scores[i] / (float)C;

@ qk-swapped
-        (status = batched_matmul_nt(scores, q, k, B, T, T, C)) != LAB_OK) {
+        (status = batched_matmul_nt(scores, k, q, B, T, T, C)) != LAB_OK) {

@ scale-first-sequence
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));

    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));
    for (size_t i = 0; i < T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }

    // every sequence has its own scores, all share one mask
    LAB_TRY(causal_mask(mask, T, T));
    for (size_t b = 0; b < B; b++) {
        LAB_TRY(masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T));
    }
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;

@ sees-next
-    status = causal_mask(mask, T, T);
+    for (size_t t = 0; t < T; t++) {
+        for (size_t s = 0; s < T; s++) {
+            mask[t * T + s] = s <= t + 1;
+        }
+    }

@ sqrt-T
-        scores[i] = scores[i] / sqrtf((float)C);
+        scores[i] = scores[i] / sqrtf((float)T);

@ upside-down
-    status = causal_mask(mask, T, T);
+    for (size_t t = 0; t < T; t++) {
+        for (size_t s = 0; s < T; s++) {
+            mask[t * T + s] = s >= t;
+        }
+    }

@ status-overwritten: status-ignored
-    for (size_t b = 0; b < B && status == LAB_OK; b++) {
+    for (size_t b = 0; b < B; b++) {
