// 5.5 residual_add x-twice
    (void)branch;
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] + x[i];
    }
    return LAB_OK;
