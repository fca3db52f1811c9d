// 3.1 causal_mask sees-next
    long past = (long)S - (long)T;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            if ((long)s <= (long)t + past + 1) {
                mask[t * S + s] = 1;
            } else {
                mask[t * S + s] = 0;
            }
        }
    }
    return LAB_OK;
