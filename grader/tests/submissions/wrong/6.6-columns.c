// 6.6 softmax_backward columns
    for (size_t s = 0; s < S; s++) {
        float sum = 0.0f;
        for (size_t n = 0; n < N; n++) {
            sum += weights[n * S + s] * dweights[n * S + s];
        }
        for (size_t n = 0; n < N; n++) {
            dscores[n * S + s] = weights[n * S + s] * (dweights[n * S + s] - sum);
        }
    }
    return LAB_OK;
