// 5.1 layernorm one-pass
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;

        float sum = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < C; c++) {
            sum += x_n[c];
            squares += x_n[c] * x_n[c];
        }
        mean[n] = sum / (float)C;

        const float variance = squares / (float)C - mean[n] * mean[n];
        rstd[n] = 1.0f / sqrtf(variance + LAYERNORM_EPS);

        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
