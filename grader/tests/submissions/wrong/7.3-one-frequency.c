// 7.3 rope one-frequency
    for (size_t row = 0; row < B * NH * T; row++) {
        double place = (double)positions[row % T];
        for (size_t i = 0; i < hs / 2; i++) {
            double angle = place * pow(10000.0, -(double)(2 * i / hs));
            float a = x[row * hs + 2 * i], b = x[row * hs + 2 * i + 1];
            out[row * hs + 2 * i] = (float)(a * cos(angle) - b * sin(angle));
            out[row * hs + 2 * i + 1] = (float)(a * sin(angle) + b * cos(angle));
        }
    }
    return LAB_OK;
