// 7.1 sinusoidal_encoding exponent-twice
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < C; i++) {
            double angle = (double)t / pow(10000.0, 2.0 * (double)i / (double)C);
            table[t * C + i] = (float)(i % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;
