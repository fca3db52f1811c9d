// 6.9 gelu_backward no-pdf-term
    for (size_t i = 0; i < N; i++) {
        dx[i] = dy[i] * 0.5f * (1.0f + erff(x[i] / 1.41421356f));
    }
    return LAB_OK;
