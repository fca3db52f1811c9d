// 11.6 attention_entropy
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t i = 0; i < T * T; i++) {
            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
        }
        entropy[n] = (float)(sum / (double)T);
    }
    return LAB_OK;

@ bits
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log2(weights_n[i]);

@ log10
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log10(weights_n[i]);

@ no-minus
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum += weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);

@ nan-at-0
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] * log(weights_n[i]);

@ sum
-        entropy[n] = (float)(sum / (double)T);
+        entropy[n] = (float)sum;

@ over-all-cells
-        entropy[n] = (float)(sum / (double)T);
+        entropy[n] = (float)(sum / (double)(T * T));

@ over-ln-T
-        entropy[n] = (float)(sum / (double)T);
+        entropy[n] = (float)(sum / ((double)T * (T > 1 ? log((double)T) : 1)));

@ not-weighted
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] == 0.0f ? 0.0 : log(weights_n[i]);

@ head-0
-        const float *weights_n = weights + n * T * T;
+        const float *weights_n = weights;

@ one-row: none
-        for (size_t i = 0; i < T * T; i++) {
+        for (size_t i = 0; i < T; i++) {

@ small-weights-dropped: small-number
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] < 1e-6f ? 0.0 : weights_n[i] * log(weights_n[i]);

@ row-ends-at-0
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            if (weights_n[i] == 0.0f) {
+                i = i / T * T + T - 1;
+                continue;
+            }
+            sum -= weights_n[i] * log(weights_n[i]);

@ map-ends-at-0
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            if (weights_n[i] == 0.0f) {
+                break;
+            }
+            sum -= weights_n[i] * log(weights_n[i]);

@ of-the-mean-row
-        for (size_t i = 0; i < T * T; i++) {
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
-        }
-        entropy[n] = (float)(sum / (double)T);
+        for (size_t s = 0; s < T; s++) {
+            double mean = 0.0;
+            for (size_t t = 0; t < T; t++) {
+                mean += weights_n[t * T + s];
+            }
+            mean /= (double)T;
+            sum -= mean > 0.0 ? mean * log(mean) : 0.0;
+        }
+        entropy[n] = (float)sum;

@ over-T-1
-        entropy[n] = (float)(sum / (double)T);
+        entropy[n] = (float)(sum / (double)(T > 1 ? T - 1 : 1));

@ eps-in-the-logarithm: small-number
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] * log((double)weights_n[i] + 1e-10);

@ eps-as-a-floor: small-number
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] * logf(fmaxf(weights_n[i], 1e-9f));

@ small-weights-add-0: small-number
-            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
+            sum -= weights_n[i] < 1e-8f ? 0.0 : weights_n[i] * log(weights_n[i]);
