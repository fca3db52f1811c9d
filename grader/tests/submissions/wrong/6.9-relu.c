// 6.9 gelu_backward relu
    for (size_t i = 0; i < N; i++) {
        dx[i] = x[i] > 0.0f ? dy[i] : 0.0f;
    }
    return LAB_OK;
