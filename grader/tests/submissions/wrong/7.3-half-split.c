// 7.3 rope half-split
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t i = 0; i < hs / 2; i++) {
            double angle = (double)positions[row % T] * pow(10000.0, -2.0 * (double)i / (double)hs);
            float a = x[row * hs + i], b = x[row * hs + i + hs / 2];
            out[row * hs + i] = (float)(a * cos(angle) - b * sin(angle));
            out[row * hs + i + hs / 2] = (float)(b * cos(angle) + a * sin(angle));
        }
    }
    return LAB_OK;
