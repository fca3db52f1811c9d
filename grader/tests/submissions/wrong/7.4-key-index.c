// 7.4 alibi_bias key-index
    for (size_t h = 0; h < NH; h++) {
        float slope = exp2f(-8.0f * (float)(h + 1) / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                bias[(h * T + t) * S + s] = slope * (float)s;
            }
        }
    }
    return LAB_OK;
