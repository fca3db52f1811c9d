// 1.1 matmul out-transposed
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
