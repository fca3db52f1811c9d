// 7.4 alibi_bias whole-number-ratio
    for (size_t h = 0; h < NH; h++) {
        const double slope = exp2(-8.0 * ((h + 1) / NH));
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                const double distance = (double)(t + S) - (double)(s + T);
                bias[(h * T + t) * S + s] =
                    distance > 0.0 ? (float)(-slope * distance) : 0.0f;
            }
        }
    }
    return LAB_OK;
