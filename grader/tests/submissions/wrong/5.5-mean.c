// 5.5 residual_add mean
    for (size_t i = 0; i < N; i++) {
        y[i] = 0.5f * (x[i] + branch[i]);
    }
    return LAB_OK;
