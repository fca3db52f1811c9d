// 1.5 weighted_values unweighted
    (void)weights;
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < dv; i++) {
            float sum = 0.0f;
            for (size_t s = 0; s < S; s++) {
                sum += v[s * dv + i];
            }
            out[t * dv + i] = sum / (float)S;
        }
    }
    return LAB_OK;
