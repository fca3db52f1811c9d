// 7.5 attention_without_projections
    float scale = 1.0f / sqrtf((float)C);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            float sum = 0.0f;
            for (size_t c = 0; c < C; c++) {
                sum += x[t * C + c] * x[s * C + c];
            }
            scores[t * T + s] = sum * scale;
        }
    }
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < T; s++) {
            max = fmaxf(max, scores[t * T + s]);
        }
        max = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < T; s++) {
            weights[t * T + s] = expf(scores[t * T + s] - max);
            sum += weights[t * T + s];
        }
        for (size_t s = 0; s < T; s++) {
            weights[t * T + s] = sum > 0.0f ? weights[t * T + s] / sum : 0.0f;
        }
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            float sum = 0.0f;
            for (size_t s = 0; s < T; s++) {
                sum += weights[t * T + s] * x[s * C + c];
            }
            out[t * C + c] = sum;
        }
    }
    return LAB_OK;

@ results-at-most-1000: none
-            out[t * C + c] = sum;
+            out[t * C + c] = fminf(sum, 1000.0f);

@ small-results-are-0: small-number
-            out[t * C + c] = sum;
+            out[t * C + c] = fabsf(sum) < 1e-6f ? 0.0f : sum;

@ causal
    lab_status status = attention_scores(scores, x, x, T, T, C);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = t + 1; s < T; s++) {
            scores[t * T + s] = -INFINITY;
        }
    }
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;

@ columns
-    for (size_t t = 0; t < T; t++) {
+    for (size_t s = 0; s < T; s++) {
         float max = -INFINITY, sum = 0.0f;

-        for (size_t s = 0; s < T; s++) {
+        for (size_t t = 0; t < T; t++) {
             max = fmaxf(max, scores[t * T + s]);

-        max = max == -INFINITY ? 0.0f : max;
-        for (size_t s = 0; s < T; s++) {
+        for (size_t t = 0; t < T; t++) {

-        for (size_t s = 0; s < T; s++) {
-            weights[t * T + s] = sum > 0.0f ? weights[t * T + s] / sum : 0.0f;
+        for (size_t t = 0; t < T; t++) {
+            weights[t * T + s] /= sum;

@ no-max
-        float max = -INFINITY, sum = 0.0f;
+        float sum = 0.0f;

-            max = fmaxf(max, scores[t * T + s]);
-        }
-        max = max == -INFINITY ? 0.0f : max;
-        for (size_t s = 0; s < T; s++) {
-            weights[t * T + s] = expf(scores[t * T + s] - max);
+            weights[t * T + s] = expf(scores[t * T + s]);

-            weights[t * T + s] = sum > 0.0f ? weights[t * T + s] / sum : 0.0f;
+            weights[t * T + s] /= sum;

@ own-score-subtracted: none
-            max = fmaxf(max, scores[t * T + s]);
+            max = scores[t * T + t]; // the largest, if all tokens had the same length

@ no-scale
    lab_status status = matmul_nt(scores, x, x, T, T, C);
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;

@ not-itself
    lab_status status = attention_scores(scores, x, x, T, T, C);
    for (size_t t = 0; t < T; t++) {
        scores[t * T + t] = -INFINITY;
    }
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;

@ out-transposed
-                sum += weights[t * T + s] * x[s * C + c];
+                sum += weights[s * T + t] * x[s * C + c];

@ over-C
-    float scale = 1.0f / sqrtf((float)C);
+    float scale = 1.0f / (float)C;

@ scores-applied
    lab_status status = attention_scores(scores, x, x, T, T, C);
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, scores, x, T, T, C);
    }
    return status;

@ sqrt-T
-    float scale = 1.0f / sqrtf((float)C);
+    float scale = 1.0f / sqrtf((float)T);

@ times-root
-    float scale = 1.0f / sqrtf((float)C);
+    float scale = sqrtf((float)C);

@ unnormalized
-        float max = -INFINITY, sum = 0.0f;
-        for (size_t s = 0; s < T; s++) {
+        float max = scores[t * T];
+        for (size_t s = 1; s < T; s++) {

-        max = max == -INFINITY ? 0.0f : max;

-            sum += weights[t * T + s];
-        }
-        for (size_t s = 0; s < T; s++) {
-            weights[t * T + s] = sum > 0.0f ? weights[t * T + s] / sum : 0.0f;

@ not-transposed
-                sum += x[t * C + c] * x[s * C + c];
+                sum += x[t * C + c] * x[c * T + s];

@ nothing-20-below: none
-            weights[t * T + s] = expf(scores[t * T + s] - max);
+            const float below = scores[t * T + s] - max;
+            weights[t * T + s] = (below < -20.0f ? 0.0f : expf(below));

@ right-with-identity-weights
    float identity[C * C], q[T * C], k[T * C], v[T * C]; // a composition of lab 1, too
    for (size_t i = 0; i < C * C; i++) {
        identity[i] = i / C == i % C ? 1.0f : 0.0f;
    }
    return simple_attention(out, weights, q, k, v, scores, x, identity, identity, identity, T,
                            C, C);

@ status-ignored
    lab_status status = attention_scores(scores, x, x, T, T, C);
    status = softmax_rows(weights, scores, T, T);
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;
