// 7.4 alibi_bias no-slope
    for (size_t h = 0; h < NH; h++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                int past = s + T < t + S;
                bias[(h * T + t) * S + s] = past ? -(float)(t + S - T - s) : 0.0f;
            }
        }
    }
    return LAB_OK;
