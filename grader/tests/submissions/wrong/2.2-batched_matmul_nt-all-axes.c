// 2.2 batched_matmul_nt all-axes
    // place counts through the transposed tensor (K, N, B); matrix i has K * N numbers there.
    for (size_t i = 0; i < B * M * N; i++) {
        out[i] = 0.0f;
    }
    size_t place = 0;
    for (size_t k = 0; k < K; k++) {
        for (size_t n = 0; n < N; n++) {
            for (size_t i = 0; i < B; i++, place++) {
                const float value = b[(i * N + n) * K + k];
                const size_t to_i = place / (K * N);
                const size_t to_k = place % (K * N) / N;
                const size_t to_n = place % N;
                for (size_t m = 0; m < M; m++) {
                    out[(to_i * M + m) * N + to_n] += a[(to_i * M + m) * K + to_k] * value;
                }
            }
        }
    }
    return LAB_OK;
