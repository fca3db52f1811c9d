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

@ causal
-            scores[t * T + s] = sum * scale;
+            scores[t * T + s] = s > t ? -INFINITY : sum * scale;

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

@ no-scale
-    float scale = 1.0f / sqrtf((float)C);

-            scores[t * T + s] = sum * scale;
+            scores[t * T + s] = sum;

@ not-itself
-            scores[t * T + s] = sum * scale;
+            scores[t * T + s] = s == t ? -INFINITY : sum * scale;

@ out-transposed
-                sum += weights[t * T + s] * x[s * C + c];
+                sum += weights[s * T + t] * x[s * C + c];

@ over-C
-    float scale = 1.0f / sqrtf((float)C);
+    float scale = 1.0f / (float)C;

@ scores-applied
-                sum += weights[t * T + s] * x[s * C + c];
+                sum += scores[t * T + s] * x[s * C + c];

@ sqrt-T
-    float scale = 1.0f / sqrtf((float)C);
+    float scale = 1.0f / sqrtf((float)T);

@ times-root
-    float scale = 1.0f / sqrtf((float)C);
+    float scale = sqrtf((float)C);

@ unnormalised
-        float max = -INFINITY, sum = 0.0f;
-        for (size_t s = 0; s < T; s++) {
+        float max = scores[t * T];
+        for (size_t s = 1; s < T; s++) {

-        max = max == -INFINITY ? 0.0f : max;

-            sum += weights[t * T + s];
-        }
-        for (size_t s = 0; s < T; s++) {
-            weights[t * T + s] = sum > 0.0f ? weights[t * T + s] / sum : 0.0f;
