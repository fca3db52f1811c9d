// 5.1 layernorm over-all
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N * C; i++) {
        sum += x[i];
    }
    float m = (float)(sum / (double)(N * C));
    for (size_t i = 0; i < N * C; i++) {
        squares += (x[i] - m) * (x[i] - m);
    }
    float r = 1.0f / sqrtf((float)(squares / (double)(N * C)) + LAYERNORM_EPS);
    for (size_t i = 0; i < N * C; i++) {
        y[i] = (x[i] - m) * r * gain[i % C] + bias[i % C];
        mean[i / C] = m;
        rstd[i / C] = r;
    }
    return LAB_OK;
