// 1.1 matmul not-set
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t k = 0; k < K; k++) {
                out[m * N + n] += a[m * K + k] * b[k * N + n];
            }
        }
    }
    return LAB_OK;
