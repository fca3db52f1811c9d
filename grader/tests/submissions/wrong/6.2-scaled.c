// 6.2 embedding scaled
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            out[n * C + c] = sqrtf((float)C) * table[tokens[n] * C + c];
        }
    }
    return LAB_OK;
