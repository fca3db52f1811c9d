// 1.5 weighted_values weights-transposed
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < dv; i++) {
            float sum = 0.0f;
            for (size_t s = 0; s < S; s++) {
                sum += weights[s * T + t] * v[s * dv + i];
            }
            out[t * dv + i] = sum;
        }
    }
    return LAB_OK;
