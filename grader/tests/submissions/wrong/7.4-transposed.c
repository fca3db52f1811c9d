// 7.4 alibi_bias transposed
    for (size_t h = 0; h < NH; h++) {
        float slope = powf(2.0f, -8.0f * (float)(h + 1) / (float)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                long distance = (long)(t + S) - (long)(T + s);
                bias[(h * T + t) * S + s] = distance < 0 ? slope * (float)distance : 0.0f;
            }
        }
    }
    return LAB_OK;
