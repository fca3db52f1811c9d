// 2.4 batched_softmax over-all
    const size_t count = B * T * S;
    float max = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        max = fmaxf(max, scores[i]);
    }
    float sum = 0.0f;
    for (size_t i = 0; i < count; i++) {
        weights[i] = max == -INFINITY ? 0.0f : expf(scores[i] - max);
        sum += weights[i];
    }
    for (size_t i = 0; i < count && sum > 0.0f; i++) {
        weights[i] /= sum;
    }
    return LAB_OK;
