// 2.5 batched_attention
    lab_status status = LAB_OK;
    status = batched_linear(q, x, w_q, NULL, B, T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_linear(k, x, w_k, NULL, B, T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_linear(v, x, w_v, NULL, B, T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_matmul_nt(scores, q, k, B, T, T, C);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_matmul(out, weights, v, B, T, C, T);
    return status;

@ first-keys
-    status = batched_matmul_nt(scores, q, k, B, T, T, C);
+    for (size_t b = 0; b < B && status == LAB_OK; b++) {
+        status = matmul_nt(scores + b * T * T, q + b * T * C, k, T, T, C);
+    }

@ first-values
-    status = batched_matmul(out, weights, v, B, T, C, T);
+    for (size_t b = 0; b < B && status == LAB_OK; b++) {
+        status = matmul(out + b * T * C, weights + b * T * T, v, T, C, T);
+    }

@ in-out
-    status = batched_linear(q, x, w_q, NULL, B, T, C, C);
+    status = matmul(q, x, w_q, B * T, C, C);

-    status = batched_linear(k, x, w_k, NULL, B, T, C, C);
+    status = matmul(k, x, w_k, B * T, C, C);

-    status = batched_linear(v, x, w_v, NULL, B, T, C, C);
+    status = matmul(v, x, w_v, B * T, C, C);

@ no-max-no-guard
-    status = batched_softmax(weights, scores, B, T, T);
-    if (status != LAB_OK) {
-        return status;
+    for (size_t n = 0; n < B * T; n++) {
+        float sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            weights[n * T + s] = expf(scores[n * T + s]);
+            sum += weights[n * T + s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            weights[n * T + s] /= sum;
+        }

@ no-max
-    status = batched_softmax(weights, scores, B, T, T);
-    if (status != LAB_OK) {
-        return status;
+    for (size_t n = 0; n < B * T; n++) {
+        float sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            weights[n * T + s] = expf(scores[n * T + s]);
+            sum += weights[n * T + s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            weights[n * T + s] = sum > 0.0f ? weights[n * T + s] / sum : 0.0f;
+        }

@ no-scale
-    for (size_t i = 0; i < B * T * T; i++) {
-        scores[i] /= sqrtf((float)C);
-    }

@ over-all
-    status = batched_softmax(weights, scores, B, T, T);
+    status = batched_softmax(weights, scores, 1, 1, B * T * T);

@ over-batch
-    status = batched_softmax(weights, scores, B, T, T);
-    if (status != LAB_OK) {
-        return status;
+    for (size_t i = 0; i < T * T; i++) {
+        float max = scores[i];
+        for (size_t b = 1; b < B; b++) {
+            max = fmaxf(max, scores[b * T * T + i]);
+        }
+        float sum = 0.0f;
+        for (size_t b = 0; b < B; b++) {
+            weights[b * T * T + i] = expf(scores[b * T * T + i] - max);
+            sum += weights[b * T * T + i];
+        }
+        for (size_t b = 0; b < B; b++) {
+            weights[b * T * T + i] /= sum;
+        }

@ over-map
-    status = batched_softmax(weights, scores, B, T, T);
+    status = batched_softmax(weights, scores, B, 1, T * T);

@ over-queries
-    status = batched_softmax(weights, scores, B, T, T);
-    if (status != LAB_OK) {
-        return status;
+    for (size_t b = 0; b < B; b++) {
+        for (size_t s = 0; s < T; s++) {
+            const float *column = scores + b * T * T + s;
+            float *shares = weights + b * T * T + s;
+            float max = column[0];
+            for (size_t t = 1; t < T; t++) {
+                max = fmaxf(max, column[t * T]);
+            }
+            float sum = 0.0f;
+            for (size_t t = 0; t < T; t++) {
+                shares[t * T] = expf(column[t * T] - max);
+                sum += shares[t * T];
+            }
+            for (size_t t = 0; t < T; t++) {
+                shares[t * T] /= sum;
+            }
+        }

@ same-projection
+    (void)w_k;
+    (void)w_v;
     lab_status status = LAB_OK;

-    status = batched_linear(k, x, w_k, NULL, B, T, C, C);
+    status = batched_linear(k, x, w_q, NULL, B, T, C, C);

-    status = batched_linear(v, x, w_v, NULL, B, T, C, C);
+    status = batched_linear(v, x, w_q, NULL, B, T, C, C);

@ scale-C
-        scores[i] /= sqrtf((float)C);
+        scores[i] /= (float)C;

@ scale-from-1
-    for (size_t i = 0; i < B * T * T; i++) {
+    for (size_t i = 1; i < B * T * T; i++) {

@ scale-first-sequence
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));

    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));
    for (size_t i = 0; i < T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }

    LAB_TRY(batched_softmax(weights, scores, B, T, T));
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;

@ scale-sqrt-B
-        scores[i] /= sqrtf((float)C);
+        scores[i] /= sqrtf((float)B);

@ scale-sqrt-T
-        scores[i] /= sqrtf((float)C);
+        scores[i] /= sqrtf((float)T);

@ swapped
-    status = batched_matmul_nt(scores, q, k, B, T, T, C);
+    status = batched_matmul_nt(scores, k, q, B, T, T, C);

@ times-root
-        scores[i] /= sqrtf((float)C);
+        scores[i] /= powf((float)C, -0.5f);

@ values-transposed
-    status = batched_matmul(out, weights, v, B, T, C, T);
+    status = batched_matmul_nt(out, weights, v, B, T, C, T);

@ weights-transposed
-    status = batched_matmul(out, weights, v, B, T, C, T);
+    for (size_t b = 0; b < B; b++) {
+        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)T, (int)C, (int)T, 1.0f,
+                    weights + b * T * T, (int)T, v + b * T * C, (int)C, 0.0f,
+                    out + b * T * C, (int)C);
+    }

@ status-overwritten: status-ignored
-    status = batched_linear(q, x, w_q, NULL, B, T, C, C);
-    if (status != LAB_OK) {
-        return status;
-    }
+    status = batched_linear(q, x, w_q, NULL, B, T, C, C);

@ own-softmax-from-minus-10000: maximum-start
-    status = batched_softmax(weights, scores, B, T, T);
-    if (status != LAB_OK) {
-        return status;
-    }
+    for (size_t n = 0; n < B * T; n++) {
+        float max = -10000.0f, sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            max = fmaxf(max, scores[n * T + s]);
+        }
+        for (size_t s = 0; s < T; s++) {
+            weights[n * T + s] = expf(scores[n * T + s] - max);
+            sum += weights[n * T + s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            weights[n * T + s] /= sum;
+        }
+    }

@ small-weights-are-0: small-number
-    status = batched_matmul(out, weights, v, B, T, C, T);
+    for (size_t i = 0; i < B * T * T; i++) {
+        weights[i] = weights[i] < 1e-7f ? 0.0f : weights[i];
+    }
+    status = batched_matmul(out, weights, v, B, T, C, T);
