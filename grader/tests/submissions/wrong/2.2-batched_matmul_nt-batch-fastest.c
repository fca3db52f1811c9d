// 2.2 batched_matmul_nt batch-fastest
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
