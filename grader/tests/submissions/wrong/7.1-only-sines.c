// 7.1 sinusoidal_encoding only-sines
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c += 2) {
            double angle = (double)t / pow(10000.0, (double)c / (double)C);
            table[t * C + c] = (float)sin(angle);
            if (c + 1 < C) {
                table[t * C + c + 1] = (float)sin(angle);
            }
        }
    }
    return LAB_OK;
