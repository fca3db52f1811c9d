// 2.2 batched_matmul_nt
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B && status == LAB_OK; i++) {
        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
    }
    return status;

@ all-axes
    // place counts through the transposed tensor (K, N, B); matrix i has K * N numbers there.
    for (size_t i = 0; i < B * M * N; i++) {
        out[i] = 0.0f;
    }
    size_t place = 0;
    for (size_t k = 0; k < K; k++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t i = 0; i < B; i++, place++) {
                const float value = b[(i * N + n) * K + k];
                const size_t to_i = place / (K * N);
                const size_t to_k = place % (K * N) / N;
                const size_t to_n = place % N;
                for (size_t m = 0; m < M; m++) {
                    out[(to_i * M + m) * N + to_n] += a[(to_i * M + m) * K + to_k] * value;
                }
            }
        }
    }
    return LAB_OK;

@ a-always-first
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a, b + i * N * K, M, N, K);

@ a-stride-of-out
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * M * N, b + i * N * K, M, N, K);

@ a-stride-of-b
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * N * K, b + i * N * K, M, N, K);

@ b-stride-of-out
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * M * N, M, N, K);

@ all-stride-of-out
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * M * N, b + i * M * N, M, N, K);

@ out-stride-of-a
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * K, a + i * M * K, b + i * N * K, M, N, K);

@ by-rows
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M, a + i * M, b + i * N, M, N, K);

@ by-numbers
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i, a + i, b + i, M, N, K);

@ always-first
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a, b, M, N, K);

@ b-always-first
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * M * K, b, M, N, K);

@ b-stride
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * M * K, M, N, K);

@ batch-fastest
    for (size_t i = 0; i < B; i++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                float sum = 0.0f;
                for (size_t k = 0; k < K; k++) {
                    sum += a[(i * M + m) * K + k] * b[(k * N + n) * B + i];
                }
                out[(i * M + m) * N + n] = sum;
            }
        }
    }
    return LAB_OK;

@ no-flag
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul(out + i * M * N, a + i * M * K, b + i * K * N, M, N, K);

@ out-transposed
-        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * N * K, M, N, K);
+        status = matmul_nt(out + i * M * N, b + i * N * K, a + i * M * K, N, M, K);

@ at-most-1000: none
-    return status;
+    for (size_t j = 0; j < B * M * N; j++) {
+        out[j] = fmaxf(-1000.0f, fminf(1000.0f, out[j]));
+    }
+    return status;
