// 1.1 matmul_nt a-transposed
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[k * M + m] * b[n * K + k];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;
