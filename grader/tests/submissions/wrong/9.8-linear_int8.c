// 9.8 linear_int8
    for (size_t n = 0; n < N; n++) {
        const float *row = x + n * I;
        for (size_t o = 0; o < O; o++) {
            const int8_t *weights = rows + o * I;
            float sum = 0.0f;
            for (size_t i = 0; i < I; i++) {
                sum += row[i] * (float)weights[i];
            }
            y[n * O + o] = sum * scales[o];
        }
    }
    return LAB_OK;

@ outputs-from-1: loop-from-1
-        for (size_t o = 0; o < O; o++) {
+        for (size_t o = 1; o < O; o++) {

@ small-results-are-0: small-number
-            y[n * O + o] = sum * scales[o];
+            const float z = sum * scales[o];
+            y[n * O + o] = fabsf(z) < 1e-12f ? 0.0f : z;

@ at-most-1e20: none
-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = fminf(sum * scales[o], 1e20f);

@ divided-by-127
-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = sum * scales[o] / 127.0f;

@ divided-by-scale
-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = scales[o] > 0.0f ? sum / scales[o] : 0.0f;

@ first-row
-            const int8_t *weights = rows + o * I;
+            const int8_t *weights = rows;

@ first-scale
-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = sum * *scales;

@ first-x
-        const float *row = x + n * I;
+        const float *row = x;

@ int-sum
-            float sum = 0.0f;
+            int sum = 0;

-                sum += row[i] * (float)weights[i];
+                const float next = (float)sum + row[i] * (float)weights[i];
+                sum = fabsf(next) < 0x1p31f ? (int)next : INT32_MIN;

-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = (float)sum * scales[o];

@ int8-products
-                sum += row[i] * (float)weights[i];
+                const float product = row[i] * (float)weights[i];
+                sum += fabsf(product) < 2e9f ? (float)(int8_t)(int)product : 0.0f;

@ int8-sum
-            float sum = 0.0f;
+            int8_t sum = 0;

-                sum += row[i] * (float)weights[i];
+                const float next = (float)sum + row[i] * (float)weights[i];
+                sum = fabsf(next) < 2e9f ? (int8_t)(int)next : 0;

-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = (float)sum * scales[o];

@ no-scale
+    (void)scales;
     for (size_t n = 0; n < N; n++) {

-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = sum;

@ one-product
-                sum += row[i] * (float)weights[i];
+                sum = row[i] * (float)weights[i];

@ scale-of-input
-                sum += row[i] * (float)weights[i];
+                sum += row[i] * (float)weights[i] * scales[i];

-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = sum;

@ scale-of-x
-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = sum * scales[n];

@ scale-twice
-                sum += row[i] * (float)weights[i];
+                sum += row[i] * (float)weights[i] * scales[o];

@ unsigned
-            const int8_t *weights = rows + o * I;
+            const uint8_t *weights = (const uint8_t *)rows + o * I;

@ w-transposed
-            const int8_t *weights = rows + o * I;
+            const int8_t *weights = rows + o;

-                sum += row[i] * (float)weights[i];
+                sum += row[i] * (float)weights[i * O];

@ x-quantized
    for (size_t n = 0; n < N; n++) {
        float largest = 0.0f;
        for (size_t i = 0; i < I; i++) {
            largest = fmaxf(largest, fabsf(x[n * I + i]));
        }
        const float step = largest > 0.0f ? largest / 127.0f : 1.0f;
        for (size_t o = 0; o < O; o++) {
            int sum = 0;
            for (size_t i = 0; i < I; i++) {
                sum += (int)rintf(x[n * I + i] / step) * rows[o * I + i];
            }
            y[n * O + o] = (float)sum * step * scales[o];
        }
    }
    return LAB_OK;

@ x-rounded
-                sum += row[i] * (float)weights[i];
+                sum += rintf(row[i]) * (float)weights[i];

@ x-to-int
-                sum += row[i] * (float)weights[i];
+                const int whole = fabsf(row[i]) < 0x1p31f ? (int)row[i] : INT32_MIN;
+                sum += (float)whole * (float)weights[i];

@ y-transposed
-            y[n * O + o] = sum * scales[o];
+            y[o * N + n] = sum * scales[o];

@ divided-by-scale-unguarded
-            y[n * O + o] = sum * scales[o];
+            y[n * O + o] = sum / scales[o];

@ weight-0-skipped: none
-                sum += row[i] * (float)weights[i];
+                sum += weights[i] != 0 ? row[i] * (float)weights[i] : 0.0f;

@ first-4096-inputs: none
-            for (size_t i = 0; i < I; i++) {
+            for (size_t i = 0; i < I && i < 4096; i++) {

@ first-4096-outputs: none
-        for (size_t o = 0; o < O; o++) {
+        for (size_t o = 0; o < O && o < 4096; o++) {

@ first-4096-rows: none
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n < N && n < 4096; n++) {
