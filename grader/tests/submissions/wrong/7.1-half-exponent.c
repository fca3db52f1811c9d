// 7.1 sinusoidal_encoding half-exponent
    for (size_t i = 0; 2 * i < C; i++) {
        double frequency = 1.0 / pow(10000.0, (double)i / (double)C);
        for (size_t t = 0; t < T; t++) {
            table[t * C + 2 * i] = (float)sin((double)t * frequency);
            if (2 * i + 1 < C) {
                table[t * C + 2 * i + 1] = (float)cos((double)t * frequency);
            }
        }
    }
    return LAB_OK;
