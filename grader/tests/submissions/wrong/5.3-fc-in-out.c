// 5.3 mlp fc-in-out
    for (size_t n = 0; n < N; n++) {
        for (size_t h = 0; h < H; h++) {
            float sum = params->b_fc[h];
            for (size_t c = 0; c < C; c++) {
                sum += x[n * C + c] * params->w_fc[c * H + h];
            }
            hidden[n * H + h] = sum;
        }
    }
    lab_status status = gelu(activated, hidden, N * H);
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            float sum = params->b_proj[c];
            for (size_t h = 0; h < H; h++) {
                sum += activated[n * H + h] * params->w_proj[c * H + h];
            }
            y[n * C + c] = sum;
        }
    }
    return status;
