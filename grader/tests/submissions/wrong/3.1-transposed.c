// 3.1 causal_mask transposed
    long past = (long)S - (long)T;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[s * T + t] = (long)s <= (long)t + past;
        }
    }
    return LAB_OK;
