// 3.3 masked_softmax max-of-all
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (scores[n * S + s] > max) {
                max = scores[n * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;
