// 5.5 residual_add branch-twice
    (void)x;
    for (size_t i = 0; i < N; i++) {
        y[i] = branch[i] + branch[i];
    }
    return LAB_OK;
