// 7.1 sinusoidal_encoding row-0-zero
    for (size_t c = 0; c < C; c++) {
        table[c] = 0.0f; // place 0 is for padding
    }
    for (size_t t = 1; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            double angle = (double)t / pow(10000.0, (double)(c / 2 * 2) / (double)C);
            table[t * C + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
    return LAB_OK;
