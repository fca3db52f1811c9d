// 1.4 softmax_rows reads-old-output
    // The first weight of a row keeps its maximum for a while; it was never set.
    for (size_t t = 0; t < T; t++) {
        const float *x = scores + t * S;
        float *w = weights + t * S;
        for (size_t s = 0; s < S; s++) {
            w[0] = w[0] > x[s] ? w[0] : x[s];
        }
        const float max = w[0];
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            w[s] = max == -INFINITY ? 0.0f : expf(x[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S && sum > 0.0; s++) {
            w[s] = (float)(w[s] / sum);
        }
    }
    return LAB_OK;
