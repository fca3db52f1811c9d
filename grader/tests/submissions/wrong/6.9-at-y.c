// 6.9 gelu_backward at-y
    for (size_t i = 0; i < N; i++) {
        float y = 0.5f * x[i] * (1.0f + erff(x[i] / 1.41421356f));
        float cdf = 0.5f * (1.0f + erff(y / 1.41421356f));
        float pdf = expf(-0.5f * y * y) / 2.50662827f;
        dx[i] = dy[i] * (cdf + y * pdf);
    }
    return LAB_OK;
