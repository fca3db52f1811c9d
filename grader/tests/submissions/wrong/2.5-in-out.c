// 2.5 batched_attention in-out
    lab_status status = LAB_OK;
    status = matmul(q, x, w_q, B * T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = matmul(k, x, w_k, B * T, C, C);
    if (status != LAB_OK) {
        return status;
    }
    status = matmul(v, x, w_v, B * T, C, C);
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
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    status = batched_matmul(out, weights, v, B, T, C, T);
    return status;
