// 3.2 masked_fill minus-10000
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            out[i] = mask[i] == 1 ? scores[i] : -1e4f;
        }
    }
    return LAB_OK;
