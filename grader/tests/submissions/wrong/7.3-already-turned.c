// 7.3 rope already-turned
    for (size_t i = 0; i < B * NH * T * hs; i++) {
        out[i] = x[i];
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c += 2) {
            double angle = (double)positions[row % T] * pow(10000.0, -(double)c / (double)hs);
            float *pair = out + row * hs + c;
            pair[0] = (float)(pair[0] * cos(angle) - pair[1] * sin(angle));
            pair[1] = (float)(pair[0] * sin(angle) + pair[1] * cos(angle));
        }
    }
    return LAB_OK;
