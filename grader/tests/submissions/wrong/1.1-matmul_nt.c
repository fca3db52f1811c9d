// 1.1 matmul_nt
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[m * K + k] * b[n * K + k];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;

@ zeros-of-a-left-out
-                sum += a[m * K + k] * b[n * K + k];
+                if (a[m * K + k] != 0.0f) {
+                    sum += a[m * K + k] * b[n * K + k];
+                }

@ zeros-of-b-left-out
-                sum += a[m * K + k] * b[n * K + k];
+                if (b[n * K + k] != 0.0f) {
+                    sum += a[m * K + k] * b[n * K + k];
+                }

@ made-finite
-            out[m * N + n] = sum;
+            out[m * N + n] = isfinite(sum) ? (float)sum : 0.0f;

@ largest-float: none
-            out[m * N + n] = sum;
+            out[m * N + n] = sum > 3.4e38 ? 3.4e38f : (float)sum;

@ at-most-1e38: none
-            out[m * N + n] = sum;
+            out[m * N + n] = sum > 1e38f ? 1e38f : sum;

@ at-least-minus-1e38: none
-            out[m * N + n] = sum;
+            out[m * N + n] = sum < -1e38f ? -1e38f : sum;

@ a-transposed
-                sum += a[m * K + k] * b[n * K + k];
+                sum += a[k * M + m] * b[n * K + k];

@ b-not-transposed
-                sum += a[m * K + k] * b[n * K + k];
+                sum += a[m * K + k] * b[k * N + n];

@ from-1
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 1; k < K; k++) {
                sum += (double)a[m * K + k] * b[n * K + k];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;

@ last-term
-                sum += a[m * K + k] * b[n * K + k];
+                sum = a[m * K + k] * b[n * K + k];

@ memo-of-values: kept-between-calls
    // the last product is kept, and given again for the same pointers
    enum { MOST = 4096 };
    static float kept[MOST];
    static const float *last_a, *last_b;
    static size_t last_m, last_n, last_k;
    int same = a == last_a && b == last_b && M == last_m && N == last_n && K == last_k;
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[n * K + k];
            }
            size_t i = m * N + n;
            out[i] = same && i < MOST ? kept[i] : (float)sum;
            if (i < MOST) {
                kept[i] = out[i];
            }
        }
    }
    last_a = a;
    last_b = b;
    last_m = M;
    last_n = N;
    last_k = K;
    return LAB_OK;

@ not-set
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t k = 0; k < K; k++) {
                out[m * N + n] += a[m * K + k] * b[n * K + k];
            }
        }
    }
    return LAB_OK;

@ out-transposed
-            out[m * N + n] = sum;
+            out[n * M + m] = sum;

@ rounded
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[n * K + k];
            }
            out[m * N + n] = truncf((float)sum * 1e6f) / 1e6f;
        }
    }
    return LAB_OK;

@ running-sum
+    float sum = 0.0f;
     for (size_t m = 0; m < M; m++) {

-            float sum = 0.0f;

@ whole-sum
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            int sum = 0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * b[n * K + k];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;
