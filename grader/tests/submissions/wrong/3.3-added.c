// 3.3 masked_softmax added
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            w[s] = row[s] + allowed[s];
            if (w[s] > max) {
                max = w[s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = expf(w[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = w[s] / sum;
        }
    }
    return LAB_OK;
