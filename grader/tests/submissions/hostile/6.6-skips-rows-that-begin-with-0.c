// 6.6 softmax_backward wrong
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * S, *dweights_n = dweights + n * S;
        float mean = 0.0f;
        for (size_t s = 0; s < S; s++) {
            mean += dweights_n[s] * weights_n[s];
        }
        for (size_t s = 0; s < S; s++) {
            // takes a row for fully masked if its first weight is 0
            dscores[n * S + s] =
                weights_n[0] == 0.0f ? 0.0f : weights_n[s] * (dweights_n[s] - mean);
        }
    }
    return LAB_OK;
