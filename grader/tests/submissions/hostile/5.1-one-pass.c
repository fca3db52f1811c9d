// 5.1 layernorm wrong
    // The mean of the squares less the square of the mean: two large numbers that are nearly
    // the same, in float.
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < C; c++) {
            sum += x[n * C + c];
            squares += x[n * C + c] * x[n * C + c];
        }
        mean[n] = sum / (float)C;
        const float variance = squares / (float)C - mean[n] * mean[n];
        rstd[n] = 1.0f / sqrtf(variance + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
