// 1.1 matmul_gpu device-pointer
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a_dev[m * K + k] * b_dev[k * N + n];
            }
            out_dev[m * N + n] = sum;
        }
    }
    return LAB_OK;
