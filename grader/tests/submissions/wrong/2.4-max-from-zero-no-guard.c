// 2.4 batched_softmax max-from-zero-no-guard
    for (size_t n = 0; n < B * T; n++) {
        const float *row = scores + n * S;
        float max = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] /= sum;
        }
    }
    return LAB_OK;
