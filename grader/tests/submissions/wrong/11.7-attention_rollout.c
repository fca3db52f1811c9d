// 11.7 attention_rollout
    float *layer = z, *product = z + T * T;
    mix_heads(rollout, weights, NH, T);
    for (size_t l = 1; l < L; l++) {
        mix_heads(layer, weights + l * NH * T * T, NH, T);
        LAB_TRY(matmul(product, layer, rollout, T, T, T));
        memcpy(rollout, product, T * T * sizeof *rollout);
    }
    return LAB_OK;

@ at-most-12-layers: none
-    for (size_t l = 1; l < L; l++) {
+    for (size_t l = 1; l < (L < 12 ? L : 12); l++) {

@ small-shares-are-0: small-number
-        memcpy(rollout, product, T * T * sizeof *rollout);
+        for (size_t i = 0; i < T * T; i++) {
+            rollout[i] = product[i] < 1e-6f ? 0.0f : product[i];
+        }

@ status-of-the-last-layer: status-ignored
+    lab_status status = LAB_OK;
     for (size_t l = 1; l < L; l++) {

-        LAB_TRY(matmul(product, layer, rollout, T, T, T));
+        status = matmul(product, layer, rollout, T, T, T);

-    return LAB_OK;
+    return status;

@ without-identity
-    mix_heads(rollout, weights, NH, T);
+    mix_heads(rollout, weights, NH, T);
+    for (size_t i = 0; i < T * T; i++) {
+        rollout[i] = 2.0f * rollout[i] - (float)(i / T == i % T);
+    }

-        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        for (size_t i = 0; i < T * T; i++) {
+            layer[i] = 2.0f * layer[i] - (float)(i / T == i % T);
+        }

@ not-halved
-    mix_heads(rollout, weights, NH, T);
+    mix_heads(rollout, weights, NH, T);
+    for (size_t i = 0; i < T * T; i++) {
+        rollout[i] *= 2.0f;
+    }

-        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        for (size_t i = 0; i < T * T; i++) {
+            layer[i] *= 2.0f;
+        }

@ sum-of-heads
-    mix_heads(rollout, weights, NH, T);
+    mix_heads(rollout, weights, NH, T);
+    for (size_t i = 0; i < T * T; i++) {
+        rollout[i] = rollout[i] * (float)NH - (float)(i / T == i % T) * (float)(NH - 1) / 2.0f;
+    }

-        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        for (size_t i = 0; i < T * T; i++) {
+            layer[i] = layer[i] * (float)NH - (float)(i / T == i % T) * (float)(NH - 1) / 2.0f;
+        }

@ other-order
-        LAB_TRY(matmul(product, layer, rollout, T, T, T));
+        LAB_TRY(matmul(product, rollout, layer, T, T, T));

@ without-layer-0
-    mix_heads(rollout, weights, NH, T);
+    mix_heads(rollout, weights + (L > 1) * NH * T * T, NH, T);

-    for (size_t l = 1; l < L; l++) {
+    for (size_t l = 2; l < L; l++) {

@ without-the-last-layer
-    for (size_t l = 1; l < L; l++) {
+    for (size_t l = 1; l + 1 < L; l++) {

@ layer-0-only
-        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        mix_heads(layer, weights, NH, T);

@ head-0
-    mix_heads(rollout, weights, NH, T);
+    mix_heads(rollout, weights, 1, T);

-        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        mix_heads(layer, weights + l * NH * T * T, 1, T);

@ next-head-for-layer
-        mix_heads(layer, weights + l * NH * T * T, NH, T);
+        mix_heads(layer, weights + l * T * T, NH, T);

@ over-its-factor
-        LAB_TRY(matmul(product, layer, rollout, T, T, T));
-        memcpy(rollout, product, T * T * sizeof *rollout);
+        (void)product;
+        for (size_t t = 0; t < T; t++) {
+            for (size_t s = 0; s < T; s++) {
+                double sum = 0.0;
+                for (size_t k = 0; k < T; k++) {
+                    sum += layer[t * T + k] * rollout[k * T + s];
+                }
+                rollout[t * T + s] = (float)sum;
+            }
+        }

@ over-its-factor-zeroed
-        LAB_TRY(matmul(product, layer, rollout, T, T, T));
-        memcpy(rollout, product, T * T * sizeof *rollout);
+        (void)product;
+        memset(rollout, 0, T * T * sizeof *rollout); // as cblas_sgemm with beta = 0 does
+        for (size_t i = 0; i < T * T * T; i++) {
+            const size_t t = i / (T * T), s = i / T % T, k = i % T;
+            rollout[t * T + s] += layer[t * T + k] * rollout[k * T + s];
+        }

@ product-lost
-        memcpy(rollout, product, T * T * sizeof *rollout);

@ nothing-copied: none
-        LAB_TRY(matmul(product, layer, rollout, T, T, T));
+        LAB_TRY(matmul(product, layer, layer, T, T, T));

@ factor-transposed
-        LAB_TRY(matmul(product, layer, rollout, T, T, T));
+        LAB_TRY(matmul_nt(product, layer, rollout, T, T, T));
