// 6.13 clip_grad_norm by-value
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    for (size_t i = 0; i < N; i++) {
        g[i] = fminf(fmaxf(g[i], -max_norm), max_norm);
    }
    return LAB_OK;
