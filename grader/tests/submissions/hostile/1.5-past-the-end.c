// 1.5 weighted_values crash
    for (size_t t = 0; t <= T; t++) { // one row too many
        for (size_t i = 0; i < dv; i++) {
            float sum = 0.0f;
            for (size_t s = 0; s < S; s++) {
                sum += weights[t * S + s] * v[s * dv + i];
            }
            out[t * dv + i] = sum;
        }
    }
    return LAB_OK;
