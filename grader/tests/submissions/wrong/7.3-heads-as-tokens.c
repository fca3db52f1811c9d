// 7.3 rope heads-as-tokens
    for (size_t s = 0; s < B; s++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                for (size_t c = 0; c < hs; c += 2) {
                    size_t at = ((s * T + t) * NH + h) * hs + c;
                    double angle = (double)positions[t] * pow(10000.0, -(double)c / (double)hs);
                    float a = x[at], b = x[at + 1];
                    out[at] = (float)(a * cos(angle) - b * sin(angle));
                    out[at + 1] = (float)(a * sin(angle) + b * cos(angle));
                }
            }
        }
    }
    return LAB_OK;
