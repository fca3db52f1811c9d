// 1.4 softmax_rows empty-row-uniform
    for (size_t t = 0; t < T; t++) {
        float max = -1e9f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(fmaxf(scores[t * S + s], -1e9f) - max);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] /= sum;
        }
    }
    return LAB_OK;
