// 7.4 alibi_bias paper-slopes
    size_t power = 1;
    while (power * 2 <= NH) {
        power *= 2;
    }
    for (size_t h = 0; h < NH; h++) {
        float slope = exp2f(-8.0f * (float)(h + 1) / (float)power);
        if (h >= power) { // every second slope of twice as many heads
            slope = exp2f(-8.0f * (float)(2 * (h - power) + 1) / (float)(2 * power));
        }
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                int past = s + T < t + S;
                bias[(h * T + t) * S + s] = past ? -slope * (float)(t + S - T - s) : 0.0f;
            }
        }
    }
    return LAB_OK;
