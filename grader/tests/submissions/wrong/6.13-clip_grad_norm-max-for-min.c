// 6.13 clip_grad_norm max-for-min
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    float factor = max_norm / (*norm + 1e-6f);
    if (factor < 1.0f) {
        factor = 1.0f;
    }
    for (size_t i = 0; i < N; i++) {
        g[i] *= factor;
    }
    return LAB_OK;
