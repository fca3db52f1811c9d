// 2.4 batched_softmax not-divided
    for (size_t n = 0; n < B * T; n++) {
        const float *row = scores + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        if (max == -INFINITY) {
            for (size_t s = 0; s < S; s++) {
                weights[n * S + s] = 0.0f;
            }
            continue;
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] - max);
        }
    }
    return LAB_OK;
