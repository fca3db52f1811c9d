// 6.2 embedding rows-overlap
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            out[n * C + c] = table[tokens[n] + c];
        }
    }
    return LAB_OK;
