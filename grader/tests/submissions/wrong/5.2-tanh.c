// 5.2 gelu tanh
    for (size_t i = 0; i < N; i++) {
        float cube = 0.044715f * x[i] * x[i] * x[i];
        y[i] = 0.5f * x[i] * (1.0f + tanhf(0.79788456f * (x[i] + cube)));
    }
    return LAB_OK;
