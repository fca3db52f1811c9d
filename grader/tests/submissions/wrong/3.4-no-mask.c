// 3.4 causal_attention no-mask
    lab_status status;
    if ((status = batched_linear(q, x, w_q, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(k, x, w_k, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(v, x, w_v, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_matmul_nt(scores, q, k, B, T, T, C)) != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] = scores[i] / sqrtf((float)C);
    }
    (void)mask;
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B, T, C, T);
