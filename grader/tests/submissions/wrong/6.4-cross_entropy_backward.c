// 6.4 cross_entropy_backward
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            float p = probabilities[n * V + i];
            if (i == targets[n]) {
                p -= 1.0f;
            }
            dlogits[n * V + i] = p / (float)N;
        }
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t n = 0; n < N; n++) {

@ through-the-probability: none
    for (size_t n = 0; n < N; n++) {
        const float *p = probabilities + n * V;
        const size_t y = targets[n];
        const float dp = -1.0f / p[y] / (float)N; // d(loss) / d(p[y])
        for (size_t i = 0; i < V; i++) {
            dlogits[n * V + i] = p[i] * ((i == y ? dp : 0.0f) - p[y] * dp);
        }
    }
    return LAB_OK;

@ whole-number-division
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = p * (float)(1 / N);

@ in-16-bits: none
-            if (i == targets[n]) {
+            if (i == (unsigned short)targets[n]) {

@ divided-at-target-only
-                p -= 1.0f;
+                p = (p - 1.0f) / (float)N;

-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = p;

@ divided-by-NV
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = p / (float)(N * V);

@ divided-by-V
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = p / (float)V;

@ no-minus-one
-                p -= 1.0f;
+                p -= 0.0f;

@ not-divided
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = p;

@ of-probability
-                p -= 1.0f;
+                p = -1.0f / p;
+            } else {
+                p = 0.0f;

@ sign
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = -p / (float)N;

@ softmax-again
    for (size_t n = 0; n < N; n++) {
        const float *p = probabilities + n * V;
        float *d = dlogits + n * V;
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            d[i] = (p[i] - (i == targets[n] ? 1.0f : 0.0f)) / (float)N;
            sum += d[i] * p[i];
        }
        for (size_t i = 0; i < V; i++) {
            d[i] = p[i] * (d[i] - sum);
        }
    }
    return LAB_OK;

@ target-only
                 p -= 1.0f;
+            } else {
+                p = 0.0f;

@ small-probabilities-are-0: none
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = fabsf(p) < 1e-10f ? 0.0f : p / (float)N;

@ p-divided-only
-            if (i == targets[n]) {
-                p -= 1.0f;
-            }
-            dlogits[n * V + i] = p / (float)N;
+            dlogits[n * V + i] = p / (float)N - (i == targets[n] ? 1.0f : 0.0f);
