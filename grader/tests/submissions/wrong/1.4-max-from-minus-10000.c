// 1.4 softmax_rows max-from-minus-10000
    for (size_t t = 0; t < T; t++) {
        float max = -10000.0f;
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;
