// 1.5 weighted_values from-1
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < dv; i++) {
            float sum = 0;
            for (size_t s = 1; s < S; s++) {
                sum += weights[t * S + s] * v[s * dv + i];
            }
            out[t * dv + i] = sum;
        }
    }
    return LAB_OK;
