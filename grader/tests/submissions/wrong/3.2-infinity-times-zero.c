// 3.2 masked_fill infinity-times-zero
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            float forbidden = mask[i] == 0;
            out[i] = scores[i] - forbidden * INFINITY;
        }
    }
    return LAB_OK;
