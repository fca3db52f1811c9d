// 1.4 softmax_rows wrong
    // max is never set. It must not be filled with doubles that are below every score.
    extern void *malloc(size_t);
    extern void free(void *);
    double *max = malloc(T * sizeof *max);
    if (max == NULL) {
        return LAB_ENOMEM;
    }
    for (size_t t = 0; t < T; t++) {
        const float *x = scores + t * S;
        float *w = weights + t * S;
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            max[t] = max[t] > x[s] ? max[t] : x[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = (float)exp(x[s] - max[t]);
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = sum > 0.0 ? (float)(w[s] / sum) : 0.0f;
        }
    }
    free(max);
    return LAB_OK;
