// 3.4 causal_attention future-is-hidden
    lab_status status;
    if ((status = batched_linear(q, x, w_q, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(k, x, w_k, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_linear(v, x, w_v, NULL, B, T, C, C)) != LAB_OK ||
        (status = batched_matmul_nt(scores, q, k, B, T, T, C)) != LAB_OK ||
        (status = causal_mask(mask, T, T)) != LAB_OK) {
        return status;
    }
    // exp(-30) is 0.0000000000001: small, and not 0
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] = scores[i] / sqrtf((float)C) - (mask[i % (T * T)] ? 0.0f : 30.0f);
    }
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B, T, C, T);
