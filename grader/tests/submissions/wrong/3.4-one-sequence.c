// 3.4 causal_attention one-sequence
    lab_status status = causal_mask(mask, T, T);
    if (status == LAB_OK) {
        status = batched_linear(q, x, w_q, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(k, x, w_k, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(v, x, w_v, NULL, B, T, C, C);
    }
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        float *scores_b = scores + b * T * T;
        status = matmul_nt(scores_b, q + b * T * C, k, T, T, C);
        for (size_t i = 0; i < T * T; i++) {
            scores_b[i] /= sqrtf((float)C);
        }
        if (status == LAB_OK) {
            status = masked_softmax(weights + b * T * T, scores_b, mask, T, T);
        }
        if (status == LAB_OK) {
            status = matmul(out + b * T * C, weights + b * T * T, v, T, C, T);
        }
    }
    return status;
