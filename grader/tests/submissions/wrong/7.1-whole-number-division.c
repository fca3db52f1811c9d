// 7.1 sinusoidal_encoding whole-number-division
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; 2 * i < C; i++) {
            double angle = (double)t / pow(10000.0, 2 * i / C);
            table[t * C + 2 * i] = (float)sin(angle);
            if (2 * i + 1 < C) {
                table[t * C + 2 * i + 1] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;
