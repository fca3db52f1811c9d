// 6.8 layernorm_backward no-eps
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float variance = 0.0f;
        for (size_t c = 0; c < C; c++) {
            variance += (x_n[c] - mean[n]) * (x_n[c] - mean[n]);
        }
        const float r = 1.0f / sqrtf(variance / (float)C);
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;
