// 7.5 attention_without_projections causal
    lab_status status = attention_scores(scores, x, x, T, T, C);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = t + 1; s < T; s++) {
            scores[t * T + s] = -INFINITY;
        }
    }
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;
