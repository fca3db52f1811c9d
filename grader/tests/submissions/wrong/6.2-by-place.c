// 6.2 embedding by-place
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            out[n * C + c] = table[n % V * C + c];
        }
    }
    return LAB_OK;
