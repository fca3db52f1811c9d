// 4.5 scaled_dot_product_attention fully-masked-nan
    lab_status status = batched_matmul_nt(scores, q, k, B * NH, T, S, hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] /= sqrtf((float)hs);
    }
    for (size_t i = 0; i < B * NH * T * S && mask != NULL; i++) {
        const uint8_t allowed = mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = allowed ? scores[i] : -INFINITY;
    }
    for (size_t n = 0; n < B * NH * T; n++) {
        const float *row = scores + n * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] /= sum;
        }
    }
    if (status != LAB_OK) {
        return status;
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
