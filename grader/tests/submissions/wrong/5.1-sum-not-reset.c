// 5.1 layernorm sum-not-reset
    float sum = 0, squares = 0;
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            sum += x[n * C + c];
        }
        mean[n] = sum / C;
        float var = squares;
        for (size_t c = 0; c < C; c++) {
            float d = x[n * C + c] - mean[n];
            var += d * d;
        }
        squares = var;
        var = var / C;
        rstd[n] = 1.0f / sqrtf(var + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
