// 6.4 cross_entropy_backward of-probability
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            float p = probabilities[n * V + i];
            if (i == targets[n]) {
                p = -1.0f / p;
            } else {
                p = 0.0f;
            }
            dlogits[n * V + i] = p / (float)N;
        }
    }
    return LAB_OK;
