// 5.2 gelu no-sqrt-2
    for (size_t i = 0; i < N; i++) {
        y[i] = 0.5f * x[i] * (1.0f + erff(x[i]));
    }
    return LAB_OK;
