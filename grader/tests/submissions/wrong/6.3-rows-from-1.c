// 6.3 cross_entropy rows-from-1
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *row = logits + n * V;
        float max = row[0];
        for (size_t i = 1; i < V; i++) {
            max = fmaxf(max, row[i]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            sum += expf(row[i] - max);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(row[i] - max) / (float)sum;
        }
        total += n == 0 ? 0.0f : logf((float)sum) - (row[targets[n]] - max);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
