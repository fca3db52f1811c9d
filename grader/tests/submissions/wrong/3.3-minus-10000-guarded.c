// 3.3 masked_softmax minus-10000-guarded
    for (size_t n = 0; n < N; n++) {
        float *w = weights + n * S;
        float max = -INFINITY;
        size_t allowed = 0;
        for (size_t s = 0; s < S; s++) {
            w[s] = mask[n * S + s] == 1 ? scores[n * S + s] : -1e4f;
            max = fmaxf(max, w[s]);
            allowed += mask[n * S + s];
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = expf(w[s] - max);
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = allowed == 0 ? 0.0f : w[s] / sum;
        }
    }
    return LAB_OK;
