// 4.5 scaled_dot_product_attention multiplied
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= powf((float)hs, 0.5f);
    }
    for (size_t i = 0; i < B * NH && status == LAB_OK; i++) {
        const size_t at = i * T * S;
        if (mask == NULL) {
            status = batched_softmax(weights + at, scores + at, 1, T, S);
        } else {
            status =
                masked_softmax(weights + at, scores + at, mask + i / NH * T * S, T, S);
        }
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
