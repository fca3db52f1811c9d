// 5.2 gelu no-one
    for (size_t i = 0; i < N; i++) {
        y[i] = 0.5f * x[i] * erff(x[i] / sqrtf(2.0f));
    }
    return LAB_OK;
