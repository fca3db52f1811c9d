// 1.6 simple_attention weights-read-in-out
    lab_status status = matmul(q, x, w_q, T, d, C);
    if (status == LAB_OK) {
        status = matmul(k, x, w_k, T, d, C);
    }
    if (status == LAB_OK) {
        status = matmul(v, x, w_v, T, d, C);
    }
    if (status == LAB_OK) {
        status = attention_scores(scores, q, k, T, T, d);
    }
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, v, T, T, d);
    }
    return status;
