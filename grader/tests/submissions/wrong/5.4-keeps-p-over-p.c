// 5.4 dropout keeps-p-over-p
    for (size_t i = 0; i < N; i++) {
        if (training) {
            y[i] = uniforms[i] < p ? x[i] / p : 0;
        } else {
            y[i] = x[i];
        }
    }
    return LAB_OK;
