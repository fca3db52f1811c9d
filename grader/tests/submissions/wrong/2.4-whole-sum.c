// 2.4 batched_softmax whole-sum
    const size_t N = B * T; // no row knows which sequence it belongs to
    for (size_t n = 0; n < N; n++) {
        const float *scores_n = scores + n * S;
        float *weights_n = weights + n * S;

        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores_n[s]);
        }
        if (max == -INFINITY) { // no key at all: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_n[s] = 0.0f;
            }
            continue;
        }
        int sum = 0;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] = expf(scores_n[s] - max); // at most exp(0): cannot overflow
            sum += weights_n[s];                    // at least 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_n[s] /= (float)sum;
        }
    }
    return LAB_OK;
