// 7.2 add_positions multiplied
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                size_t at = (b * T + t) * C + c;
                out[at] = x[at] * table[t * C + c];
            }
        }
    }
    return LAB_OK;
