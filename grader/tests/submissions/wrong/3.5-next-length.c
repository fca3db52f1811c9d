// 3.5 padding_mask next-length
    for (size_t b = 0; b < B; b++) {
        size_t length = b + 1 < B ? lengths[b + 1] : lengths[0];
        for (size_t s = 0; s < S; s++) {
            mask[b * S + s] = s < length;
        }
    }
    return LAB_OK;
