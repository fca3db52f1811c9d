// 3.3 masked_softmax max-of-all
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = row[0];
        for (size_t s = 0; s < S; s++) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            w[s] = 0.0f;
            if (allowed[s] == 1) {
                w[s] = expf(row[s] - max);
                sum += w[s];
            }
        }
        if (sum == 0.0) {
            continue;
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = (float)(w[s] / sum);
        }
    }
    return LAB_OK;
