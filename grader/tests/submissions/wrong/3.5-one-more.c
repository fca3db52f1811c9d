// 3.5 padding_mask one-more
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 0; s < S; s++) {
            if (s <= lengths[b]) {
                mask[b * S + s] = 1;
            } else {
                mask[b * S + s] = 0;
            }
        }
    }
    return LAB_OK;
