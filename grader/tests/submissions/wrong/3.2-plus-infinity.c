// 3.2 masked_fill plus-infinity
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            out[i] = mask[i] == 0 ? INFINITY : scores[i];
        }
    }
    return LAB_OK;
