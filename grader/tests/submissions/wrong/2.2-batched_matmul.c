// 2.2 batched_matmul
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B && status == LAB_OK; i++) {
        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);
    }
    return status;

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

@ right-another-error
    for (size_t i = 0; i < B; i++) {
        if (matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K) != LAB_OK) {
            return LAB_EVALUE;
        }
    }
    return LAB_OK;
