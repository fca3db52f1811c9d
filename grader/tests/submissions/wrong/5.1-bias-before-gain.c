// 5.1 layernorm bias-before-gain
    for (size_t n = 0; n < N; n++) {
        float sum = 0;
        for (size_t c = 0; c < C; c++) {
            sum += x[n * C + c];
        }
        mean[n] = sum / C;
        float var = 0;
        for (size_t c = 0; c < C; c++) {
            float d = x[n * C + c] - mean[n];
            var += d * d;
        }
        var = var / C;
        rstd[n] = 1.0f / sqrtf(var + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = ((x[n * C + c] - mean[n]) * rstd[n] + bias[c]) * gain[c];
        }
    }
    return LAB_OK;
