// 2.5 batched_attention over-batch
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
    for (size_t i = 0; i < T * T; i++) {
        float max = scores[i];
        for (size_t b = 1; b < B; b++) {
            max = fmaxf(max, scores[b * T * T + i]);
        }
        float sum = 0.0f;
        for (size_t b = 0; b < B; b++) {
            weights[b * T * T + i] = expf(scores[b * T * T + i] - max);
            sum += weights[b * T * T + i];
        }
        for (size_t b = 0; b < B; b++) {
            weights[b * T * T + i] /= sum;
        }
    }
    status = batched_matmul(out, weights, v, B, T, C, T);
    return status;
