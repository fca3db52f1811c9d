// 2.5 batched_attention weights-transposed
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
        scores[i] /= sqrtf((float)C);
    }
    status = batched_softmax(weights, scores, B, T, T);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t b = 0; b < B; b++) {
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)T, (int)C, (int)T, 1.0f,
                    weights + b * T * T, (int)T, v + b * T * C, (int)C, 0.0f,
                    out + b * T * C, (int)C);
    }
    return status;
