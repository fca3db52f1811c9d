// 4.5 scaled_dot_product_attention
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NH, T, S, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= scale;
    }

    if (mask == NULL) {
        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
    } else {
        for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                                   mask + i / NH * T * S, T, S));
        }
    }

    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ tiny-for-forbidden: forbidden-keys
-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    for (size_t i = 0; mask != NULL && i < B * NH * T * S; i++) {
+        if (mask[i / (NH * T * S) * T * S + i % (T * S)] == 0) {
+            weights[i] = 1e-12f;
+        }
+    }
+    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ scaled-from-1: loop-from-1
-    for (size_t i = 0; i < B * NH * T * S; i++) {
+    for (size_t i = 1; i < B * NH * T * S; i++) {

@ heads-from-1: loop-from-1
-        for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
+        for (size_t i = 1; i < B * NH; i++) { // head h of sequence b: i = b * NH + h

@ logarithm-rounded
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NH, T, S, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= scale;
    }
    for (size_t n = 0; n < B * NH * T; n++) {
        const uint8_t *m_n = mask == NULL ? NULL : mask + (n / T / NH * T + n % T) * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (m_n == NULL || m_n[s]) max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (m_n == NULL || m_n[s]) sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = m_n == NULL || m_n[s] ? scores[n * S + s] - (max + logf(sum)) : 0.0f;
        }
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ log-sum-lost
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NH, T, S, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= scale;
    }
    for (size_t n = 0; n < B * NH * T; n++) {
        const uint8_t *m_n = mask == NULL ? NULL : mask + (n / T / NH * T + n % T) * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (m_n == NULL || m_n[s]) max = fmaxf(max, scores[n * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (m_n == NULL || m_n[s]) sum += expf(scores[n * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = m_n == NULL || m_n[s] ? expf(scores[n * S + s] - (max + logf(sum))) : 0.0f;
        }
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ results-at-most-100: none
-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    LAB_TRY(batched_matmul(out, weights, v, B * NH, T, hs, S));
+    for (size_t i = 0; i < B * NH * T * hs; i++) {
+        out[i] = fminf(out[i], 100.0f);
+    }
+    return LAB_OK;

@ small-results-are-0: none
-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    LAB_TRY(batched_matmul(out, weights, v, B * NH, T, hs, S));
+    for (size_t i = 0; i < B * NH * T * hs; i++) {
+        out[i] = fabsf(out[i]) < 1e-6f ? 0.0f : out[i];
+    }
+    return LAB_OK;

@ max-of-magnitudes: none
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t t = 0; t < T; t++) {
+                const float *in = scores + (i * T + t) * S;
+                const uint8_t *may = mask + (i / NH * T + t) * S;
+                float *row = weights + (i * T + t) * S, max = 0.0f, sum = 0.0f;
+                for (size_t s = 0; s < S; s++) {
+                    max = may[s] ? fmaxf(max, fabsf(in[s])) : max;
+                }
+                for (size_t s = 0; s < S; s++) {
+                    row[s] = may[s] ? expf(in[s] - max) : 0.0f;
+                    sum += row[s];
+                }
+                for (size_t s = 0; s < S; s++) {
+                    row[s] = sum > 0.0f ? row[s] / sum : 0.0f;
+                }
+            }

@ sequence-0-sees-all: none
+#include <string.h>

-    if (mask == NULL) {
+    if (mask == NULL || memchr(mask, 0, T * S) == NULL) { // looks only at sequence 0

@ last-sequence-sees-all: mask-ignored
+#include <string.h>

-    if (mask == NULL) {
+    if (mask == NULL || memchr(mask + (B - 1) * T * S, 0, T * S) == NULL) {

@ status-of-the-last-head: status-ignored
+        lab_status status = LAB_OK;
         for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h

-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            status = masked_softmax(weights + i * T * S, scores + i * T * S,
+                                    mask + i / NH * T * S, T, S);
         }
+        LAB_TRY(status);

@ status-ignored-under-a-mask: status-ignored
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            if (masked_softmax(weights + i * T * S, scores + i * T * S,
+                               mask + i / NH * T * S, T, S) != LAB_OK) {
+                continue;
+            }

@ causal-when-square
-    if (mask == NULL) {
+    if (mask == NULL && T == S) {
+        for (size_t i = 0; i < B * NH * T; i++) {
+            uint8_t row[4096] = {0};
+            memset(row, 1, i % T + 1);
+            LAB_TRY(masked_softmax(weights + i * S, scores + i * S, row, 1, S));
+        }
+    } else if (mask == NULL) {

@ causal-without-a-mask
-        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
+        for (size_t i = 0; i < B * NH * T; i++) {
+            uint8_t row[4096] = {0};
+            for (size_t s = 0; s < S; s++) {
+                row[s] = s + T <= i % T + S;
+            }
+            LAB_TRY(masked_softmax(weights + i * S, scores + i * S, row, 1, S));
+        }

@ minus-10000
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            const uint8_t *may = mask + i / NH * T * S;
+            float *w = weights + i * T * S;
+            for (size_t j = 0; j < T * S; j++) {
+                if (may[j] == 0) {
+                    scores[i * T * S + j] = -10000.0f;
+                }
+            }
+            LAB_TRY(batched_softmax(w, scores + i * T * S, 1, T, S));

@ minus-10000-guarded
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            const uint8_t *may = mask + i / NH * T * S;
+            float *w = weights + i * T * S;
+            for (size_t j = 0; j < T * S; j++) {
+                if (may[j] == 0) {
+                    scores[i * T * S + j] = -10000.0f;
+                }
+            }
+            LAB_TRY(batched_softmax(w, scores + i * T * S, 1, T, S));
+            for (size_t t = 0; t < T; t++) {
+                if (memchr(may + t * S, 1, S) == NULL) {
+                    memset(w + t * S, 0, S * sizeof *w);
+                }
+            }

@ added-minus-10000
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            const uint8_t *may = mask + i / NH * T * S;
+            float *w = weights + i * T * S;
+            for (size_t j = 0; j < T * S; j++) {
+                if (may[j] == 0) {
+                    scores[i * T * S + j] += -10000.0f;
+                }
+            }
+            LAB_TRY(batched_softmax(w, scores + i * T * S, 1, T, S));

@ added-minus-1e9
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            const uint8_t *may = mask + i / NH * T * S;
+            float *w = weights + i * T * S;
+            for (size_t j = 0; j < T * S; j++) {
+                if (may[j] == 0) {
+                    scores[i * T * S + j] += -1e9f;
+                }
+            }
+            LAB_TRY(batched_softmax(w, scores + i * T * S, 1, T, S));

@ added-minus-1e9-guarded
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            const uint8_t *may = mask + i / NH * T * S;
+            float *w = weights + i * T * S;
+            for (size_t j = 0; j < T * S; j++) {
+                if (may[j] == 0) {
+                    scores[i * T * S + j] += -1e9f;
+                }
+            }
+            LAB_TRY(batched_softmax(w, scores + i * T * S, 1, T, S));
+            for (size_t t = 0; t < T; t++) {
+                if (memchr(may + t * S, 1, S) == NULL) {
+                    memset(w + t * S, 0, S * sizeof *w);
+                }
+            }

@ added-minus-10000-guarded: added-minus-1e9-guarded
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            const uint8_t *may = mask + i / NH * T * S;
+            float *w = weights + i * T * S;
+            for (size_t j = 0; j < T * S; j++) {
+                if (may[j] == 0) {
+                    scores[i * T * S + j] += -10000.0f;
+                }
+            }
+            LAB_TRY(batched_softmax(w, scores + i * T * S, 1, T, S));
+            for (size_t t = 0; t < T; t++) {
+                if (memchr(may + t * S, 1, S) == NULL) {
+                    memset(w + t * S, 0, S * sizeof *w);
+                }
+            }

@ half-of-width-1: none
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = hs == 1 ? 0.5f : 1.0f / sqrtf((float)hs);

@ down-columns
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? scores[i] : -INFINITY;
    }
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t s = 0; s < S; s++) {
            float max = -INFINITY, sum = 0.0f;
            for (size_t t = 0; t < T; t++) {
                max = fmaxf(max, scores[(i * T + t) * S + s]);
            }
            for (size_t t = 0; t < T; t++) {
                sum += expf(scores[(i * T + t) * S + s] - max);
            }
            for (size_t t = 0; t < T; t++) {
                const size_t at = (i * T + t) * S + s;
                weights[at] = sum > 0.0f ? expf(scores[at] - max) / sum : 0.0f;
            }
        }
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ first-head-scaled
-    for (size_t i = 0; i < B * NH * T * S; i++) {
+    for (size_t i = 0; i < T * S; i++) {

@ first-sequence-scaled
-    for (size_t i = 0; i < B * NH * T * S; i++) {
+    for (size_t i = 0; i < NH * T * S; i++) {

@ fully-masked-nan
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? scores[i] : -INFINITY;
    }
    for (size_t n = 0; n < B * NH * T; n++) {
        const float *row = scores + n * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] /= sum;
        }
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ fully-masked-uniform
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? scores[i] : -1e9f;
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ keys-of-head-0
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t s = 0; s < S; s++) {
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum += q[((b * NH + h) * T + t) * hs + c] *
                               k[(b * NH * S + s) * hs + c];
                    }
                    scores[((b * NH + h) * T + t) * S + s] = sum;
                }
            }
        }
    }
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH && status == LAB_OK; i++) {
        const size_t at = i * T * S;
        if (mask == NULL) {
            status = batched_softmax(weights + at, scores + at, 1, T, S);
        } else {
            status =
                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t c = 0; c < hs; c++) {
                    float sum = 0.0f;
                    for (size_t s = 0; s < S; s++) {
                        sum += weights[((b * NH + h) * T + t) * S + s] *
                               v[(b * NH * S + s) * hs + c];
                    }
                    out[((b * NH + h) * T + t) * hs + c] = sum;
                }
            }
        }
    }
    return status;

@ keys-of-sequence-0
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t s = 0; s < S; s++) {
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum +=
                            q[((b * NH + h) * T + t) * hs + c] * k[(h * S + s) * hs + c];
                    }
                    scores[((b * NH + h) * T + t) * S + s] = sum;
                }
            }
        }
    }
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH && status == LAB_OK; i++) {
        const size_t at = i * T * S;
        if (mask == NULL) {
            status = batched_softmax(weights + at, scores + at, 1, T, S);
        } else {
            status =
                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t c = 0; c < hs; c++) {
                    float sum = 0.0f;
                    for (size_t s = 0; s < S; s++) {
                        sum += weights[((b * NH + h) * T + t) * S + s] *
                               v[(h * S + s) * hs + c];
                    }
                    out[((b * NH + h) * T + t) * hs + c] = sum;
                }
            }
        }
    }
    return status;

@ mask-added
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] += (float)allowed;
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ mask-after
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        weights[i] *= (float)allowed;
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ mask-ignored
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ mask-inverted
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? -INFINITY : scores[i];
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ mask-multiplied
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] *= (float)allowed;
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ mask-of-query-0
-            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
-                                   mask + i / NH * T * S, T, S));
+            for (size_t t = 0; t < T; t++) {
+                LAB_TRY(masked_softmax(weights + (i * T + t) * S, scores + (i * T + t) * S,
+                                       mask + i / NH * T * S, 1, S));
+            }

@ mask-transposed
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const size_t b = i / (NH * T * S), t = i / S % T, s = i % S;
        if (!mask[b * T * S + s * T + t]) {
            scores[i] = -INFINITY;
        }
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ none-in-heads
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t s = 0; s < S; s++) {
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum += q[((b * T + t) * NH + h) * hs + c] *
                               k[((b * S + s) * NH + h) * hs + c];
                    }
                    scores[((b * NH + h) * T + t) * S + s] = sum;
                }
            }
        }
    }
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH && status == LAB_OK; i++) {
        const size_t at = i * T * S;
        if (mask == NULL) {
            status = batched_softmax(weights + at, scores + at, 1, T, S);
        } else {
            status =
                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t c = 0; c < hs; c++) {
                    float sum = 0.0f;
                    for (size_t s = 0; s < S; s++) {
                        sum += weights[((b * NH + h) * T + t) * S + s] *
                               v[((b * S + s) * NH + h) * hs + c];
                    }
                    out[((b * NH + h) * T + t) * hs + c] = sum;
                }
            }
        }
    }
    return status;

@ one-head-each-scaled
-    for (size_t i = 0; i < B * NH * T * S; i++) {
+    for (size_t i = 0; i < B * T * S; i++) {

@ scores-applied
-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    return batched_matmul(out, scores, v, B * NH, T, hs, S);

@ one-query-takes-mask-0: mask-of-sequence-0
-                                   mask + i / NH * T * S, T, S));
+                                   mask + (T > 1 ? i / NH : 0) * T * S, T, S));

@ one-key-needs-no-mask: none
-    if (mask == NULL) {
+    if (mask == NULL || S == 1) {

@ mask-in-512-heads: none
-        for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
+        for (size_t i = 0; i < B * NH && i < 512; i++) {

@ right-head-by-head
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH && status == LAB_OK; i++) {
        const size_t at = i * T * S;
        if (mask == NULL) {
            status = batched_softmax(weights + at, scores + at, 1, T, S);
        } else {
            status =
                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
        }
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);

@ k-all-axes
-    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
+    static float k_t[1 << 18]; // k with all four axes reversed: (hs,S,NH,B)
+    for (size_t b = 0; b < B; b++) {
+        for (size_t h = 0; h < NH; h++) {
+            for (size_t s = 0; s < S; s++) {
+                for (size_t c = 0; c < hs; c++) {
+                    k_t[((c * S + s) * NH + h) * B + b] =
+                        k[((b * NH + h) * S + s) * hs + c];
+                }
+            }
+        }
+    }
+    lab_status status = batched_matmul(scores, q, k_t, B * NH, T, S, hs);

@ k-not-in-heads
-    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
+    for (size_t b = 0; b < B; b++) {
+        for (size_t h = 0; h < NH; h++) {
+            for (size_t t = 0; t < T; t++) {
+                for (size_t s = 0; s < S; s++) {
+                    float sum = 0.0f;
+                    for (size_t c = 0; c < hs; c++) {
+                        sum += q[((b * NH + h) * T + t) * hs + c] *
+                               k[((b * S + s) * NH + h) * hs + c];
+                    }
+                    scores[((b * NH + h) * T + t) * S + s] = sum;
+                }
+            }
+        }
+    }
+    lab_status status = LAB_OK;

@ k-not-transposed
-    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
+    lab_status status = batched_matmul(scores, q, k, B * NH, T, S, hs);

@ mask-of-sequence-0
-            status =
-                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
+            status = masked_softmax(weights + at, scores + at, mask, T, S);

@ mask-repeated
-                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
+                masked_softmax(weights + at, scores + at, mask + i % B * T * S, T, S);

@ multiplied
-        scores[i] /= sqrtf((float)hs);
+        scores[i] *= powf((float)hs, 0.5f);

@ no-scale
-        scores[i] /= sqrtf((float)hs);
+        scores[i] *= 1.0f;

@ out-merged
-    if (status != LAB_OK) {
-        return status;
+    for (size_t b = 0; b < B; b++) {
+        for (size_t h = 0; h < NH; h++) {
+            for (size_t t = 0; t < T; t++) {
+                for (size_t c = 0; c < hs; c++) {
+                    float sum = 0.0f;
+                    for (size_t s = 0; s < S; s++) {
+                        sum += weights[((b * NH + h) * T + t) * S + s] *
+                               v[((b * NH + h) * S + s) * hs + c];
+                    }
+                    out[((b * T + t) * NH + h) * hs + c] = sum;
+                }
+            }
+        }

-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    return status;

@ over-hs
-        scores[i] /= sqrtf((float)hs);
+        scores[i] /= (float)hs;

@ q-not-transposed
-    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
+    for (size_t b = 0; b < B; b++) {
+        for (size_t h = 0; h < NH; h++) {
+            for (size_t t = 0; t < T; t++) {
+                for (size_t s = 0; s < S; s++) {
+                    float sum = 0.0f;
+                    for (size_t c = 0; c < hs; c++) {
+                        sum += q[((b * T + t) * NH + h) * hs + c] *
+                               k[((b * NH + h) * S + s) * hs + c];
+                    }
+                    scores[((b * NH + h) * T + t) * S + s] = sum;
+                }
+            }
+        }
+    }
+    lab_status status = LAB_OK;

@ qk-exchanged
-    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
+    lab_status status = batched_matmul_nt(scores, k, q, B * NH, S, T, hs);

@ sqrt-C
-        scores[i] /= sqrtf((float)hs);
+        scores[i] /= sqrtf((float)(NH * hs));

@ sqrt-NH
-        scores[i] /= sqrtf((float)hs);
+        scores[i] /= sqrtf((float)NH);

@ sqrt-T
-        scores[i] /= sqrtf((float)hs);
+        scores[i] /= sqrtf((float)T);

@ v-not-in-heads
-    if (status != LAB_OK) {
-        return status;
+    for (size_t b = 0; b < B; b++) {
+        for (size_t h = 0; h < NH; h++) {
+            for (size_t t = 0; t < T; t++) {
+                for (size_t c = 0; c < hs; c++) {
+                    float sum = 0.0f;
+                    for (size_t s = 0; s < S; s++) {
+                        sum += weights[((b * NH + h) * T + t) * S + s] *
+                               v[((b * S + s) * NH + h) * hs + c];
+                    }
+                    out[((b * NH + h) * T + t) * hs + c] = sum;
+                }
+            }
+        }

-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    return status;

@ values-are-keys
-    return batched_matmul(out, weights, v, B * NH, T, hs, S);
+    return batched_matmul(out, weights, k, B * NH, T, hs, S);
