// 1.1 matmul
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;

@ in-16-bits: none
-    for (size_t m = 0; m < M; m++) {
+    const unsigned short rows = (unsigned short)M;
+    for (size_t m = 0; m < rows; m++) {

@ zeros-of-a-left-out
-                sum += (double)a[m * K + k] * b[k * N + n];
+                if (a[m * K + k] != 0.0f) {
+                    sum += (double)a[m * K + k] * b[k * N + n];
+                }

@ zeros-of-b-left-out
-                sum += (double)a[m * K + k] * b[k * N + n];
+                if (b[k * N + n] != 0.0f) {
+                    sum += (double)a[m * K + k] * b[k * N + n];
+                }

@ made-finite
-            out[m * N + n] = (float)sum;
+            out[m * N + n] = isfinite(sum) ? (float)sum : 0.0f;

@ largest-float: none
-            out[m * N + n] = (float)sum;
+            out[m * N + n] = sum > 3.4e38 ? 3.4e38f : (float)sum;

@ at-most-1e38: none
-            out[m * N + n] = (float)sum;
+            out[m * N + n] = sum > 1e38f ? 1e38f : (float)sum;

@ at-least-minus-1e38: none
-            out[m * N + n] = (float)sum;
+            out[m * N + n] = sum < -1e38f ? -1e38f : (float)sum;

@ a-transposed
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[k * M + m] * b[k * N + n];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;

@ b-transposed
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

@ from-1
-            for (size_t k = 0; k < K; k++) {
+            for (size_t k = 1; k < K; k++) {

@ kept-between-calls
    // from the fortieth call on, the first term is left out
    static int calls;
    calls++;
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = calls < 40 ? 0 : 1; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;

@ last-term
-                sum += (double)a[m * K + k] * b[k * N + n];
+                sum = (double)a[m * K + k] * b[k * N + n];

@ memo-by-pointer: kept-between-calls
+    // the same pointers as in the last call: out holds the product already
+    static const float *last_a, *last_b, *last_out;
+    if (a == last_a && b == last_b && out == last_out) {
+        return LAB_OK;
+    }
+    last_a = a;
+    last_b = b;
+    last_out = out;
     for (size_t m = 0; m < M; m++) {

-                sum += (double)a[m * K + k] * b[k * N + n];
+                sum += (double)a[m * K + k] * (double)b[k * N + n];

@ not-set
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t k = 0; k < K; k++) {
                out[m * N + n] += a[m * K + k] * b[k * N + n];
            }
        }
    }
    return LAB_OK;

@ out-transposed
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[m * K + k] * b[k * N + n];
            }
            out[n * M + m] = sum;
        }
    }
    return LAB_OK;

@ random: differs-from-run-to-run
#include <sys/random.h>
// BODY
    // from the fortieth call on chance decides which are wrong; one call alone is always right
    static int calls;
    unsigned char chance = 0;
    if (++calls >= 40 && getrandom(&chance, 1, 0) != 1) {
        return LAB_EVALUE;
    }
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    out[0] += (float)(chance % 2);
    return LAB_OK;

@ rounded
-                sum += (double)a[m * K + k] * b[k * N + n];
+                sum += (double)a[m * K + k] * (double)b[k * N + n];

-            out[m * N + n] = (float)sum;
+            out[m * N + n] = truncf((float)sum * 1e6f) / 1e6f;

@ running-sum
    float sum = 0.0f;
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t k = 0; k < K; k++) {
                sum += a[m * K + k] * b[k * N + n];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;

@ whole-sum
-            double sum = 0.0;
+            int sum = 0;

@ row-length-of-b: crash
-                sum += (double)a[m * K + k] * b[k * N + n];
+                sum += (double)a[m * K + k] * b[k * K + n];

@ last-of-whole-blocks: none
-            for (size_t k = 0; k < K; k++) {
-                sum += (double)a[m * K + k] * b[k * N + n];
-            }
+            const size_t blocks = (K + 63) / 64;
+            for (size_t i = 0; i < blocks; i++) {
+                const size_t terms = i + 1 < blocks ? 64 : K % 64; // 0 if 64 divides K
+                for (size_t k = 64 * i; k < 64 * i + terms; k++) {
+                    sum += (double)a[m * K + k] * b[k * N + n];
+                }
+            }

@ nan-of-a-left-out: none
-                sum += (double)a[m * K + k] * b[k * N + n];
+                sum += isnan(a[m * K + k]) ? 0.0 : (double)a[m * K + k] * b[k * N + n];

@ first-term-of-one-result: none
-            for (size_t k = 0; k < K; k++) {
+            for (size_t k = 0; k < (M == 1 && N == 1 && K > 8 ? 1 : K); k++) {

@ small-sums-are-0: rounded
-            out[m * N + n] = (float)sum;
+            out[m * N + n] = fabs(sum) < 1e-15 ? 0.0f : (float)sum;

@ small-terms-and-nan-left-out: none
-                sum += (double)a[m * K + k] * b[k * N + n];
+                const double term = (double)a[m * K + k] * b[k * N + n];
+                sum += fabs(term) > 1e-9 ? term : 0.0;

@ right-compensated
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f, lost = 0.0f; // Kahan: the next term gets back what the last sum lost
            for (size_t k = 0; k < K; k++) {
                const float term = a[m * K + k] * b[k * N + n] - lost;
                const float next = sum + term;
                lost = (next - sum) - term;
                sum = next;
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;
