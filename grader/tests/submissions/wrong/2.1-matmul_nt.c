// 2.1 matmul_nt
    const int m = (int)M, n = (int)N, k = (int)K;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f,
                out, n);
    return LAB_OK;

@ any-size: none
+#include <limits.h>
+#include <stdint.h>
+#undef INT_MAX
+#define INT_MAX SIZE_MAX

@ a-flagged
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)K, 0.0f, out, (int)N);
    return LAB_OK;

@ beta-one
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)K, 1.0f, out, (int)N);
    return LAB_OK;

@ column-major
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)N, 0.0f, out, (int)M);
    return LAB_OK;

@ no-flag
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 0.0f, out, (int)N);
    return LAB_OK;

@ out-transposed
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)N, (int)M, (int)K, 1.0f,
                b, (int)K, a, (int)K, 0.0f, out, (int)M);
    return LAB_OK;

@ at-most-1000: none
-    return LAB_OK;
+    for (size_t j = 0; j < M * N; j++) {
+        out[j] = fmaxf(-1000.0f, fminf(1000.0f, out[j]));
+    }
+    return LAB_OK;
