// 3.5 padding_mask first-length
    for (size_t i = 0; i < B * S; i++) {
        mask[i] = i % S < *lengths;
    }
    return LAB_OK;
