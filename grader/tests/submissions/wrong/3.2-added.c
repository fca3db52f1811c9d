// 3.2 masked_fill added
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            out[i] = scores[i] + mask[i];
        }
    }
    return LAB_OK;
