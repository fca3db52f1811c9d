// 1.4 softmax_rows no-max-guarded
    for (size_t t = 0; t < T; t++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s]);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum > 0.0f ? weights[t * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;
