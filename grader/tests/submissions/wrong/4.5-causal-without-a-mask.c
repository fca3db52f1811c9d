// 4.5 scaled_dot_product_attention causal-without-a-mask
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NH, T, S, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= scale;
    }

    if (mask == NULL) {
        for (size_t i = 0; i < B * NH * T; i++) {
            uint8_t row[4096] = {0};
            for (size_t s = 0; s < S; s++) {
                row[s] = s + T <= i % T + S;
            }
            LAB_TRY(masked_softmax(weights + i * S, scores + i * S, row, 1, S));
        }
    } else {
        for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                                   mask + i / NH * T * S, T, S));
        }
    }

    return batched_matmul(out, weights, v, B * NH, T, hs, S);
