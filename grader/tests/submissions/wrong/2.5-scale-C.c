// 2.5 batched_attention scale-C
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
        scores[i] /= (float)C;
    }
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_matmul(out, weights, v, B, T, C, T);
    return status;
