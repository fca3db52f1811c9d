// 7.1 sinusoidal_encoding unsigned-exponent
    for (size_t c = 0; c < C; c += 2) { // c is the 2i of the formula
        const double frequency = pow(10000.0, -c / C);
        for (size_t t = 0; t < T; t++) {
            const double angle = (double)t * frequency;
            table[t * C + c] = (float)sin(angle);
            if (c + 1 < C) {
                table[t * C + c + 1] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;
