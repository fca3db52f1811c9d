// 4.5 scaled_dot_product_attention down-columns
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? scores[i] : -INFINITY;
    }
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t s = 0; s < S; s++) {
            float max = -INFINITY, sum = 0.0f;
            for (size_t t = 0; t < T; t++) {
                max = fmaxf(max, scores[(i * T + t) * S + s]);
            }
            for (size_t t = 0; t < T; t++) {
                sum += expf(scores[(i * T + t) * S + s] - max);
            }
            for (size_t t = 0; t < T; t++) {
                const size_t at = (i * T + t) * S + s;
                weights[at] = sum > 0.0f ? expf(scores[at] - max) / sum : 0.0f;
            }
        }
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
