// 7.1 sinusoidal_encoding transposed
    for (size_t c = 0; c < C; c++) {
        for (size_t t = 0; t < T; t++) {
            double angle = (double)t / pow(10000.0, (double)(c / 2 * 2) / (double)C);
            *table++ = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;
