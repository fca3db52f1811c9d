// 4.5 scaled_dot_product_attention mask-inverted
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? -INFINITY : scores[i];
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
