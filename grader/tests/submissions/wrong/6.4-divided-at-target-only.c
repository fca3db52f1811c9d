// 6.4 cross_entropy_backward divided-at-target-only
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            float p = probabilities[n * V + i];
            if (i == targets[n]) {
                p = (p - 1.0f) / (float)N;
            }
            dlogits[n * V + i] = p;
        }
    }
    return LAB_OK;
