// 1.1 matmul from-1
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 1; k < K; k++) {
                sum += (double)a[m * K + k] * b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;
