// 1.2 linear not-set
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            for (size_t i = 0; i < I; i++) {
                y[t * O + o] += x[t * I + i] * w[o * I + i];
            }
            if (bias != NULL) {
                y[t * O + o] += bias[o];
            }
        }
    }
    return LAB_OK;
