// 2.5 batched_attention over-queries
    lab_status status = LAB_OK;
    status = batched_linear(q, x, w_q, NULL, B, T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_linear(k, x, w_k, NULL, B, T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_linear(v, x, w_v, NULL, B, T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_matmul_nt(scores, q, k, B, T, T, C);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 0; s < T; s++) {
            const float *column = scores + b * T * T + s;
            float *shares = weights + b * T * T + s;
            float max = column[0];
            for (size_t t = 1; t < T; t++) {
                max = fmaxf(max, column[t * T]);
            }
            float sum = 0.0f;
            for (size_t t = 0; t < T; t++) {
                shares[t * T] = expf(column[t * T] - max);
                sum += shares[t * T];
            }
            for (size_t t = 0; t < T; t++) {
                shares[t * T] /= sum;
            }
        }
    }
    status = batched_matmul(out, weights, v, B, T, C, T);
    return status;
