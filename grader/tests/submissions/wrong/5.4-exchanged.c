// 5.4 dropout exchanged
    for (size_t i = 0; i < N; i++) {
        if (training) {
            y[i] = uniforms[i] >= 1 - p ? x[i] / (1 - p) : 0;
        } else {
            y[i] = x[i];
        }
    }
    return LAB_OK;
