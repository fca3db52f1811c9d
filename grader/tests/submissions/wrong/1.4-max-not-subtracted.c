// 1.4 softmax_rows max-not-subtracted
    for (size_t t = 0; t < T; t++) {
        const float *row = scores + t * S;
        float *out = weights + t * S;
        float max = row[0];
        for (size_t s = 1; s < S; s++) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        float sum = 0;
        for (size_t s = 0; s < S; s++) {
            out[s] = max == -INFINITY ? 0 : expf(row[s]);
            sum += out[s];
        }
        for (size_t s = 0; s < S && max != -INFINITY; s++) {
            out[s] /= sum;
        }
    }
    return LAB_OK;
