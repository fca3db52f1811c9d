// 6.3 cross_entropy no-max-log-of-probability
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(logits[n * V + i]);
            sum += probabilities[n * V + i];
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] /= sum;
        }
        total -= logf(probabilities[n * V + targets[n]]);
    }
    *loss = total / (float)N;
    return LAB_OK;
