// 5.4 dropout on-in-evaluation
    (void)training;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] < 1 - p ? x[i] / (1 - p) : 0;
    }
    return LAB_OK;
