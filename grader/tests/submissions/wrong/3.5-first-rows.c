// 3.5 combine_masks first-rows
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                mask[(b * T + t) * S + s] =
                    t < S && attention[t * S + s] && padding[b * S + s];
            }
        }
    }
    return LAB_OK;
