// 6.13 clip_grad_norm inverted
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    float factor = (*norm + 1e-6f) / max_norm;
    if (factor < 1.0f) {
        factor = 1.0f;
    }
    for (size_t i = 0; i < N; i++) {
        g[i] *= factor;
    }
    return LAB_OK;
