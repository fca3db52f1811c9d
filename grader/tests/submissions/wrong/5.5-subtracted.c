// 5.5 residual_add subtracted
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] - branch[i];
    }
    return LAB_OK;
