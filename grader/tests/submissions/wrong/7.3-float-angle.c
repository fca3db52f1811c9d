// 7.3 rope float-angle
    for (size_t seq = 0; seq < B; seq++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t c = 0; c < hs; c += 2) {
                    size_t at = ((seq * NH + h) * T + t) * hs + c;
                    float a = x[at], b = x[at + 1];
                    float angle = (float)((double)positions[t] * pow(10000.0, -(double)c / (double)hs));
                    float turn_x = cosf(angle);
                    float turn_y = sinf(angle);
                    out[at] = a * turn_x - b * turn_y;
                    out[at + 1] = a * turn_y + b * turn_x;
                }
            }
        }
    }
    return LAB_OK;
