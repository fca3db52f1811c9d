// 3.4 causal_attention sees-next
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
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            mask[t * T + s] = s <= t + 1;
        }
    }
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B, T, C, T);
