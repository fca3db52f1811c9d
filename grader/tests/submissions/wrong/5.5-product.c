// 5.5 residual_add product
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] * branch[i];
    }
    return LAB_OK;
