// 6.13 clip_grad_norm mean-of-squares
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum / (double)N);
    float factor = max_norm / (*norm + 1e-6f);
    if (factor > 1.0f) {
        factor = 1.0f;
    }
    for (size_t i = 0; i < N; i++) {
        g[i] *= factor;
    }
    return LAB_OK;
