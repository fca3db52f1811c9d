// 1.4 softmax_rows logarithm
    for (size_t t = 0; t < T; t++) {
        float max = scores[t * S];
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        if (max == -INFINITY) {
            for (size_t s = 0; s < S; s++) {
                weights[t * S + s] = 0.0f;
            }
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += expf(scores[t * S + s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = scores[t * S + s] - max - logf(sum);
        }
    }
    return LAB_OK;
