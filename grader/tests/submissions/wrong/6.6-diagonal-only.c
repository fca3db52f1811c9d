// 6.6 softmax_backward diagonal-only
    for (size_t i = 0; i < N * S; i++) {
        dscores[i] = weights[i] * (1.0f - weights[i]) * dweights[i];
    }
    return LAB_OK;
