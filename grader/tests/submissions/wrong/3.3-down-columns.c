// 3.3 masked_softmax down-columns
    for (size_t s = 0; s < S; s++) {
        float max = -INFINITY;
        for (size_t n = 0; n < N; n++) {
            if (mask[n * S + s] && scores[n * S + s] > max) {
                max = scores[n * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t n = 0; n < N; n++) {
            size_t i = n * S + s;
            weights[i] = mask[i] ? expf(scores[i] - max) : 0.0f;
            sum += weights[i];
        }
        for (size_t n = 0; n < N; n++) {
            if (sum > 0.0f) {
                weights[n * S + s] /= sum;
            }
        }
    }
    return LAB_OK;
