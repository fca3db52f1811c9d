// 6.9 gelu_backward pdf-not-normalised
    for (size_t i = 0; i < N; i++) {
        float cdf = 0.5f * (1.0f + erff(x[i] / 1.41421356f));
        float pdf = expf(-0.5f * x[i] * x[i]);
        dx[i] = dy[i] * (cdf + x[i] * pdf);
    }
    return LAB_OK;
