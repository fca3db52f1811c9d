// 6.8 layernorm_backward statistics-constant
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float sum = 0.0f, sum_norm = 0.0f;
        for (size_t c = 0; c < C; c++) {
            float norm = (x_n[c] - mean[n]) * rstd[n];
            float d = dy_n[c] * gain[c];
            sum += d;
            sum_norm += d * norm;
            dgain[c] += dy_n[c] * norm;
            dbias[c] += dy_n[c];
        }
        sum /= (float)C;
        sum_norm /= (float)C;
        for (size_t c = 0; c < C; c++) {
            float norm = (x_n[c] - mean[n]) * rstd[n];
            dx[n * C + c] = dy_n[c] * gain[c] * rstd[n];
        }
    }
    return LAB_OK;
