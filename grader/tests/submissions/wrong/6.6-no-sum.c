// 6.6 softmax_backward no-sum
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        for (size_t s = 0; s < S; s++) {
            dscores[n * S + s] = w[s] * dw[s];
        }
    }
    return LAB_OK;
