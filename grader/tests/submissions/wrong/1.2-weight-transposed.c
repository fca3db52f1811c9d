// 1.2 linear weight-transposed
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            float sum = 0.0f;
            for (size_t i = 0; i < I; i++) {
                sum += x[t * I + i] * w[i * O + o];
            }
            y[t * O + o] = sum + (bias != NULL ? bias[o] : 0.0f);
        }
    }
    return LAB_OK;
