// 7.2 add_positions transposed
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                size_t at = (b * T + t) * C + c;
                out[at] = x[at] + table[c * T_max + t];
            }
        }
    }
    return LAB_OK;
