// 1.1 matmul_nt rounded
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[n * K + k];
            }
            out[m * N + n] = truncf((float)sum * 1e6f) / 1e6f;
        }
    }
    return LAB_OK;
