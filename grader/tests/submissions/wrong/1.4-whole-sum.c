// 1.4 softmax_rows whole-sum
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float *weights_t = weights + t * S;

        float max = scores_t[0];
        for (size_t s = 1; s < S; s++) {
            max = scores_t[s] > max ? scores_t[s] : max;
        }
        if (max == -INFINITY) { // no key at all: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_t[s] = 0.0f;
            }
            continue;
        }
        int sum = 0;
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = expf(scores_t[s] - max); // at most exp(0): cannot overflow
            sum += weights_t[s];                    // at least 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = (float)(weights_t[s] / (float)sum);
        }
    }
    return LAB_OK;
