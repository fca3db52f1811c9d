// 2.4 batched_softmax over-batch
    for (size_t n = 0; n < T * S; n++) {
        const float *from = scores + n;
        float *to = weights + n;
        float max = -INFINITY;
        for (size_t i = 0; i < B; i++) {
            max = fmaxf(max, from[i * (T * S)]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < B; i++) {
            to[i * (T * S)] = max == -INFINITY ? 0.0f : expf(from[i * (T * S)] - max);
            sum += to[i * (T * S)];
        }
        for (size_t i = 0; i < B && sum > 0.0f; i++) {
            to[i * (T * S)] /= sum;
        }
    }
    return LAB_OK;
