// 7.3 rope unsigned-exponent
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < hs; c += 2) { // c is the 2i of the formula
            const double frequency = pow(10000.0, -c / hs);
            const double angle = (double)positions[t] * frequency;
            const float cosine = (float)cos(angle), sine = (float)sin(angle);
            for (size_t n = 0; n < B * NH; n++) { // head h of sequence b: n = b * NH + h
                const size_t i = (n * T + t) * hs + c;
                const float first = x[i], second = x[i + 1];
                out[i] = first * cosine - second * sine;
                out[i + 1] = first * sine + second * cosine;
            }
        }
    }
    return LAB_OK;
