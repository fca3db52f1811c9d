// 6.2 embedding table-transposed
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            out[n * C + c] = table[c * V + tokens[n]];
        }
    }
    return LAB_OK;
