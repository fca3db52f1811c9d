// 6.13 clip_grad_norm never
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    for (size_t i = 0; i < N && *norm > max_norm; i++) {
        float clipped = g[i] * max_norm / *norm;
        (void)clipped; // goes nowhere
    }
    return LAB_OK;
