// 4.5 scaled_dot_product_attention k-all-axes
    static float k_t[1 << 18]; // k with all four axes the other way round: (hs,S,NH,B)
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t s = 0; s < S; s++) {
                for (size_t c = 0; c < hs; c++) {
                    k_t[((c * S + s) * NH + h) * B + b] =
                        k[((b * NH + h) * S + s) * hs + c];
                }
            }
        }
    }
    lab_status status = batched_matmul(scores, q, k_t, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
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
