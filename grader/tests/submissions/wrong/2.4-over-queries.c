// 2.4 batched_softmax over-queries
    for (size_t n = 0; n < B * S; n++) {
        const float *from = scores + n / S * (T * S) + n % S;
        float *to = weights + n / S * (T * S) + n % S;
        float max = -INFINITY;
        for (size_t i = 0; i < T; i++) {
            max = fmaxf(max, from[i * S]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < T; i++) {
            to[i * S] = max == -INFINITY ? 0.0f : expf(from[i * S] - max);
            sum += to[i * S];
        }
        for (size_t i = 0; i < T && sum > 0.0f; i++) {
            to[i * S] /= sum;
        }
    }
    return LAB_OK;
