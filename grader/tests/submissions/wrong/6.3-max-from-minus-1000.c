// 6.3 cross_entropy max-from-minus-1000
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        const float *x = logits + n * V;
        float *p = probabilities + n * V;
        float max = -1000.0f;
        for (size_t i = 0; i < V; i++) {
            max = fmaxf(max, x[i]);
        }
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(x[i] - max);
            sum += p[i];
        }
        for (size_t i = 0; i < V; i++) {
            p[i] /= sum;
        }
        total += logf(sum) - (x[targets[n]] - max);
    }
    *loss = total / (float)N;
    return LAB_OK;
