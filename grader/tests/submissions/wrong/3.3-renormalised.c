// 3.3 masked_softmax max-of-all
    for (size_t n = 0; n < N; n++) {
        float max = scores[n * S], sum = 0.0f, allowed = 0.0f;
        for (size_t s = 1; s < S; s++) {
            max = fmaxf(max, scores[n * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(scores[n * S + s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] *= (float)mask[n * S + s] / sum;
            allowed += weights[n * S + s];
        }
        for (size_t s = 0; s < S && allowed > 0.0f; s++) {
            weights[n * S + s] /= allowed;
        }
    }
    return LAB_OK;
