// 1.1 matmul_nt whole-sum
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            int sum = 0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * b[n * K + k];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;
