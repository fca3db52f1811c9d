// 2.5 batched_attention first-keys
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
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        status = matmul_nt(scores + b * T * T, q + b * T * C, k, T, T, C);
    }
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
