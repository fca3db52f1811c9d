// 6.4 cross_entropy_backward softmax-again
    for (size_t n = 0; n < N; n++) {
        const float *p = probabilities + n * V;
        float *d = dlogits + n * V;
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            d[i] = (p[i] - (i == targets[n] ? 1.0f : 0.0f)) / (float)N;
            sum += d[i] * p[i];
        }
        for (size_t i = 0; i < V; i++) {
            d[i] = p[i] * (d[i] - sum);
        }
    }
    return LAB_OK;
