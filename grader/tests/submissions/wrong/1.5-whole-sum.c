// 1.5 weighted_values whole-sum
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < dv; i++) {
            int sum = 0;
            for (size_t s = 0; s < S; s++) {
                sum += weights[t * S + s] * v[s * dv + i];
            }
            out[t * dv + i] = (float)sum;
        }
    }
    return LAB_OK;
