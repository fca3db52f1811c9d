// 5.2 gelu times-sqrt-2
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] / 2.0f * (1.0f + erff(x[i] * sqrtf(2.0f)));
    }
    return LAB_OK;
