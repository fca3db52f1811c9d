// 2.4 batched_softmax over-map
    for (size_t n = 0; n < B; n++) {
        const float *from = scores + n * T * S;
        float *to = weights + n * T * S;
        float max = -INFINITY;
        for (size_t i = 0; i < T * S; i++) {
            max = fmaxf(max, from[i]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < T * S; i++) {
            to[i] = max == -INFINITY ? 0.0f : expf(from[i] - max);
            sum += to[i];
        }
        for (size_t i = 0; i < T * S && sum > 0.0f; i++) {
            to[i] /= sum;
        }
    }
    return LAB_OK;
