// 1.2 linear whole-sum
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            int sum = bias != NULL ? (int)bias[o] : 0;
            for (size_t i = 0; i < I; i++) {
                sum += (double)x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = (float)sum;
        }
    }
    return LAB_OK;
