// 6.13 clip_grad_norm int-sum
    int sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    const float length = (float)sqrt(sum);
    if (max_norm / (length + 1e-6f) < 1.0f) {
        for (size_t i = 0; i < N; i++) {
            g[i] *= max_norm / (length + 1e-6f);
        }
    }
    *norm = length;
    return LAB_OK;
