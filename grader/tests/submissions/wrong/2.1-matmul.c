// 2.1 matmul
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k, b, n,
                0.0f, out, n);
    return LAB_OK;

@ loops-of-any-size: crash
+#include <limits.h>
+#include <stdint.h>
+#undef INT_MAX
+#define INT_MAX SIZE_MAX

-    const int m = (int)M, n = (int)N, k = (int)K;
-    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k, b, n,
-                0.0f, out, n);
-    return LAB_OK;
+    for (size_t m = 0; m < M; m++) {
+        for (size_t n = 0; n < N; n++) {
+            double sum = 0.0;
+            for (size_t k = 0; k < K; k++) {
+                sum += (double)a[m * K + k] * b[k * N + n];
+            }
+            out[m * N + n] = (float)sum;
+        }
+    }
+    return LAB_OK;

@ any-size: none
+#include <limits.h>
+#include <stdint.h>
+#undef INT_MAX
+#define INT_MAX SIZE_MAX

@ in-16-bits: none
-    const int m = (int)M, n = (int)N, k = (int)K;
+    const unsigned short m = (unsigned short)M, n = (unsigned short)N, k = (unsigned short)K;

@ a-flagged
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)N, 0.0f, out, (int)N);
    return LAB_OK;

@ b-flagged
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)K, 0.0f, out, (int)N);
    return LAB_OK;

@ beta-one
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 1.0f, out, (int)N);
    return LAB_OK;

@ column-major
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)K, 0.0f, out, (int)M);
    return LAB_OK;

@ out-transposed
    cblas_sgemm(CblasColMajor, CblasTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 0.0f, out, (int)M);
    return LAB_OK;

@ leading-dimension-too-small: none
-    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k, b, n,
+    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k - 1, b, n,

@ leading-dimension-too-large: none
-    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k, b, n,
+    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k + 1, b, n,

@ at-most-1000: none
-    return LAB_OK;
+    for (size_t j = 0; j < M * N; j++) {
+        out[j] = fmaxf(-1000.0f, fminf(1000.0f, out[j]));
+    }
+    return LAB_OK;
