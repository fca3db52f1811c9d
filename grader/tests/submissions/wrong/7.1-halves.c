// 7.1 sinusoidal_encoding halves
    size_t sines = (C + 1) / 2;
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < sines; i++) {
            double angle = (double)t / pow(10000.0, 2.0 * (double)i / (double)C);
            table[t * C + i] = (float)sin(angle);
            if (sines + i < C) {
                table[t * C + sines + i] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;
