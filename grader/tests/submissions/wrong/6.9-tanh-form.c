// 6.9 gelu_backward tanh-form
    for (size_t i = 0; i < N; i++) {
        float cube = 0.044715f * x[i] * x[i] * x[i];
        float t = tanhf(0.79788456f * (x[i] + cube));
        float slope = 0.79788456f * (1.0f + 3.0f * 0.044715f * x[i] * x[i]);
        dx[i] = dy[i] * (0.5f * (1.0f + t) + 0.5f * x[i] * (1.0f - t * t) * slope);
    }
    return LAB_OK;
