// 5.2 gelu zero
    for (size_t i = 0; i < N; i++) {
        y[i] = 1 / 2 * x[i] * (1.0f + erff(x[i] / sqrtf(2.0f)));
    }
    return LAB_OK;
