// 6.8 layernorm_backward dgain-assigned
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const float r = rstd[n];
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] = dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const float norm = (x_n[c] - mean[n]) * r, d = dy_n[c] * gain[c];
            dx[n * C + c] = r * (d - sum / (float)C - norm * sum_norm / (float)C);
        }
    }
    return LAB_OK;
