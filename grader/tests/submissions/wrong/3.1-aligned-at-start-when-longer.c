// 3.1 causal_mask aligned-at-start-when-longer
    size_t past = 0;
    if (S > T) {
        past = S - T;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            if (s <= t + past) {
                mask[t * S + s] = 1;
            } else {
                mask[t * S + s] = 0;
            }
        }
    }
    return LAB_OK;
