// 5.2 gelu silu
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] * (1.0f / (1.0f + expf(-x[i])));
    }
    return LAB_OK;
