// 2.2 batched_matmul
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B && status == LAB_OK; i++) {
        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
    }
    return status;

@ own-products-of-any-size: none
+#include <limits.h>
+#include <stdint.h>
+#undef INT_MAX
+#define INT_MAX SIZE_MAX

-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
+                    a + i * M * K, (int)K, b + i * K * N, (int)N, 0.0f, out + i * M * N, (int)N);

@ at-most-1000: none
-    return status;
+    for (size_t j = 0; j < B * M * N; j++) {
+        out[j] = fmaxf(-1000.0f, fminf(1000.0f, out[j]));
+    }
+    return status;

@ a-always-first
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a, b + i * K * N, M, N, K);

@ a-stride-of-out
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a + i * M * N, b + i * K * N, M, N, K);

@ a-stride-of-b
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a + i * K * N, b + i * K * N, M, N, K);

@ b-stride-of-out
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a + i * M * K, b + i * M * N, M, N, K);

@ all-stride-of-out
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a + i * M * N, b + i * M * N, M, N, K);

@ out-stride-of-a
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * K, a + i * M * K, b + i * K * N, M, N, K);

@ by-rows
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M, a + i * M, b + i * K, M, N, K);

@ by-numbers
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i, a + i, b + i, M, N, K);

@ always-first
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a, b, M, N, K);

@ b-always-first
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a + i * M * K, b, M, N, K);

@ b-flagged
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);

@ b-stride
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = matmul(out + i * M * N, a + i * M * K, b + i * M * K, M, N, K);

@ status-ignored
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        if (matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K) != LAB_OK) {
+            break;
+        }

@ status-of-the-last-sequence: status-ignored
-    for (size_t i = 0; i < B && status == LAB_OK; i++) {
+    for (size_t i = 0; i < B; i++) {

@ status-of-the-first-sequence: status-ignored
-    for (size_t i = 0; i < B && status == LAB_OK; i++) {
+    for (size_t i = 0; i < B; i++) {
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        lab_status s = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = i == 0 ? s : status;

@ status-of-the-ends: status-ignored
-    for (size_t i = 0; i < B && status == LAB_OK; i++) {
+    for (size_t i = 0; i < B; i++) {
-        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        lab_status s = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
+        status = (i == 0 || i == B - 1) && s != LAB_OK ? s : status;

@ right-goes-on
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B; i++) {
        const lab_status s = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
        status = status == LAB_OK ? s : status;
    }
    return status;

@ right-another-error
    for (size_t i = 0; i < B; i++) {
        if (matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K) != LAB_OK) {
            return LAB_EVALUE;
        }
    }
    return LAB_OK;
