// 7.5 attention_without_projections scores-applied
    lab_status status = attention_scores(scores, x, x, T, T, C);
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, scores, x, T, T, C);
    }
    return status;
