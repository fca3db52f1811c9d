// 5.2 gelu relu
    for (size_t i = 0; i < N; i++) {
        y[i] = fmaxf(x[i], 0.0f);
    }
    return LAB_OK;
