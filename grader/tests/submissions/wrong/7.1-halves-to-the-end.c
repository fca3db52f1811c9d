// 7.1 sinusoidal_encoding halves-to-the-end
    size_t half = C / 2;
    double step = log(10000.0) / (half > 1 ? (double)half - 1.0 : 1.0);
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < half; i++) {
            double angle = (double)t * exp(-step * (double)i);
            table[t * C + i] = (float)sin(angle);
            table[t * C + half + i] = (float)cos(angle);
        }
        if (C % 2 == 1) {
            table[t * C + C - 1] = 0.0f;
        }
    }
    return LAB_OK;
