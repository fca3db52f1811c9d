// 7.3 rope repeated-angles
    size_t half = hs / 2;
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c += 2) {
            double place = (double)positions[row % T];
            double first = place * pow(10000.0, -2.0 * (double)(c % half) / (double)hs);
            double second = place * pow(10000.0, -2.0 * (double)((c + 1) % half) / (double)hs);
            float a = x[row * hs + c], b = x[row * hs + c + 1];
            out[row * hs + c] = (float)(a * cos(first) - b * sin(first));
            out[row * hs + c + 1] = (float)(b * cos(second) + a * sin(second));
        }
    }
    return LAB_OK;
