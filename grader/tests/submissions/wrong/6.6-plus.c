// 6.6 softmax_backward plus
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += w[s] * dw[s];
        }
        for (size_t s = 0; s < S; s++) {
            dscores[n * S + s] = w[s] * (dw[s] + sum);
        }
    }
    return LAB_OK;
