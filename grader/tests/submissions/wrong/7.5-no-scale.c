// 7.5 attention_without_projections no-scale
    lab_status status = matmul_nt(scores, x, x, T, T, C);
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, x, T, T, C);
    }
    return status;
