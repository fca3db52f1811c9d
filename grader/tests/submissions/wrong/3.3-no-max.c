// 3.3 masked_softmax no-max
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed[s] ? expf(row[s]) : 0.0f;
            sum += w[s];
        }
        if (sum != 0.0f) {
            for (size_t s = 0; s < S; s++) {
                w[s] /= sum;
            }
        }
    }
    return LAB_OK;
