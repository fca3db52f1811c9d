// 5.5 residual_add branch-only
    (void)x;
    for (size_t i = 0; i < N; i++) {
        y[i] = branch[i];
    }
    return LAB_OK;
