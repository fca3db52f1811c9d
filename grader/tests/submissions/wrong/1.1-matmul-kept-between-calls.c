// 1.1 matmul kept-between-calls
    // from the fortieth call on, the first term is left out
    static int calls;
    calls++;
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = calls < 40 ? 0 : 1; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;
