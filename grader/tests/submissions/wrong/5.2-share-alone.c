// 5.2 gelu share-alone
    for (size_t i = 0; i < N; i++) {
        y[i] = 0.5f * (1.0f + erff(x[i] / sqrtf(2.0f)));
    }
    return LAB_OK;
