// 1.1 matmul running-sum
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
