// 3.1 causal_mask unsigned-wrap
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            if (s <= t + (S - T)) {
                mask[t * S + s] = 1;
            } else {
                mask[t * S + s] = 0;
            }
        }
    }
    return LAB_OK;
