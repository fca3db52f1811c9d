// 1.2 linear from-1
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            double sum = bias != NULL ? bias[o] : 0.0;
            for (size_t i = 1; i < I; i++) {
                sum += (double)x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = (float)sum;
        }
    }
    return LAB_OK;
