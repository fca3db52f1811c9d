// 6.3 cross_entropy no-max-in-double
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *row = logits + n * V;
        double sum = 0.0;
        for (size_t i = 0; i < V; i++) {
            sum += exp(row[i]);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = (float)(exp(row[i]) / sum);
        }
        total += log(sum) - row[targets[n]];
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
