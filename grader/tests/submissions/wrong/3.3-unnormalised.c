// 3.3 masked_softmax unnormalised
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (allowed[s]) {
                max = fmaxf(max, row[s]);
            }
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed[s] ? expf(row[s] - max) : 0.0f;
        }
    }
    return LAB_OK;
