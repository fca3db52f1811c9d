// 1.4 softmax_rows max-of-all-guarded
    float max = scores[0];
    for (size_t i = 1; i < T * S; i++) {
        max = fmaxf(max, scores[i]);
    }
    for (size_t t = 0; t < T; t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;
