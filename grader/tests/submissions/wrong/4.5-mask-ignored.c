// 4.5 scaled_dot_product_attention mask-ignored
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
