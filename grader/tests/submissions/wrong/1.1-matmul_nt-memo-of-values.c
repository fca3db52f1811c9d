// 1.1 matmul_nt kept-between-calls
    // the last product is kept, and given again for the same pointers
    enum { MOST = 4096 };
    static float kept[MOST];
    static const float *last_a, *last_b;
    static size_t last_m, last_n, last_k;
    int same = a == last_a && b == last_b && M == last_m && N == last_n && K == last_k;
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * (double)b[n * K + k];
            }
            size_t i = m * N + n;
            out[i] = same && i < MOST ? kept[i] : (float)sum;
            if (i < MOST) {
                kept[i] = out[i];
            }
        }
    }
    last_a = a;
    last_b = b;
    last_m = M;
    last_n = N;
    last_k = K;
    return LAB_OK;
