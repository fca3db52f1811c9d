// 1.4 softmax_rows rounded
    for (size_t t = 0; t < T; t++) {
        const float *row = scores + t * S;
        float *out = weights + t * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            out[s] = max == -INFINITY ? 0.0f : expf(row[s] - max);
            sum += out[s];
        }
        for (size_t s = 0; s < S; s++) {
            out[s] = sum > 0.0f ? truncf(out[s] / sum * 1e6f) / 1e6f : 0.0f;
        }
    }
    return LAB_OK;
