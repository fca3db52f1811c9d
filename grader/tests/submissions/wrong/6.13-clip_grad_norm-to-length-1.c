// 6.13 clip_grad_norm to-length-1
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    float factor = *norm > max_norm ? 1.0f / (*norm + 1e-6f) : 1.0f;
    for (size_t i = 0; i < N; i++) {
        g[i] *= factor;
    }
    return LAB_OK;
