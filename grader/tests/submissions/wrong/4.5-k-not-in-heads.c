// 4.5 scaled_dot_product_attention k-not-in-heads
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t s = 0; s < S; s++) {
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum += q[((b * NH + h) * T + t) * hs + c] *
                               k[((b * S + s) * NH + h) * hs + c];
                    }
                    scores[((b * NH + h) * T + t) * S + s] = sum;
                }
            }
        }
    }
    lab_status status = LAB_OK;
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
