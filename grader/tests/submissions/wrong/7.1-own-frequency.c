// 7.1 sinusoidal_encoding own-frequency
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            double angle = (double)t / pow(10000.0, (double)c / (double)C);
            table[t * C + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;
