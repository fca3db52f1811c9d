// 1.5 weighted_values last-key-only
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < dv; i++) {
                out[t * dv + i] = weights[t * S + s] * v[s * dv + i];
            }
        }
    }
    return LAB_OK;
