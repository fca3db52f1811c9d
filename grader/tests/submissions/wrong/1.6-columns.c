// 1.6 simple_attention columns
    lab_status status = linear(q, x, w_q, NULL, T, C, d);
    if (status == LAB_OK) {
        status = linear(k, x, w_k, NULL, T, C, d);
    }
    if (status == LAB_OK) {
        status = linear(v, x, w_v, NULL, T, C, d);
    }
    if (status == LAB_OK) {
        status = attention_scores(scores, q, k, T, T, d);
    }
    if (status != LAB_OK) {
        return status;
    }
    for (size_t s = 0; s < T; s++) {
        float max = -INFINITY;
        for (size_t t = 0; t < T; t++) {
            max = fmaxf(max, scores[t * T + s]);
        }
        float sum = 0.0f;
        for (size_t t = 0; t < T; t++) {
            weights[t * T + s] = expf(scores[t * T + s] - max);
            sum += weights[t * T + s];
        }
        for (size_t t = 0; t < T; t++) {
            weights[t * T + s] /= sum;
        }
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, v, T, T, d);
    }
    return status;
