// 1.4 softmax_rows not-normalised
    for (size_t t = 0; t < T; t++) {
        float max = scores[t * S];
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = max == -INFINITY ? 0.0f : expf(scores[t * S + s] - max);
        }
    }
    return LAB_OK;
