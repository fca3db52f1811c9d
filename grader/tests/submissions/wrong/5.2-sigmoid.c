// 5.2 gelu sigmoid
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] / (1.0f + expf(-1.702f * x[i]));
    }
    return LAB_OK;
