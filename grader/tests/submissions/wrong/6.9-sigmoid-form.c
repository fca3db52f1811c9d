// 6.9 gelu_backward sigmoid-form
    for (size_t i = 0; i < N; i++) {
        float s = 1.0f / (1.0f + expf(-1.702f * x[i]));
        dx[i] = dy[i] * (s + 1.702f * x[i] * s * (1.0f - s));
    }
    return LAB_OK;
