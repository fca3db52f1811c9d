// 3.2 masked_fill multiplied
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            out[i] = mask[i] * scores[i];
        }
    }
    return LAB_OK;
