// 6.9 gelu_backward dy-is-x
    for (size_t i = 0; i < N; i++) {
        float cdf = 0.5f * (1.0f + erff(x[i] / 1.41421356f));
        float pdf = expf(-0.5f * x[i] * x[i]) / 2.50662827f;
        dx[i] = x[i] * (cdf + x[i] * pdf);
    }
    return LAB_OK;
