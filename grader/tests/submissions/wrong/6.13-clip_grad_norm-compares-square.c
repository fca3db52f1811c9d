// 6.13 clip_grad_norm compares-square
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    const float length = (float)sqrt(sum);
    if (sum > max_norm) {
        for (size_t i = 0; i < N; i++) {
            g[i] *= max_norm / (length + 1e-6f);
        }
    }
    *norm = length;
    return LAB_OK;
