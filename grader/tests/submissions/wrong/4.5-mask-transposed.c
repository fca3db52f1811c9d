// 4.5 scaled_dot_product_attention mask-transposed
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const size_t b = i / (NH * T * S), t = i / S % T, s = i % S;
        if (!mask[b * T * S + s * T + t]) {
            scores[i] = -INFINITY;
        }
    }
    if (status == LAB_OK) {
        status = batched_softmax(weights, scores, B * NH, T, S);
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
