// 4.2 split_qkv steps-of-C
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                const size_t at = (b * T + t) * C + c;
                q[at] = qkv[at];
                k[at] = qkv[at + C];
                v[at] = qkv[at + 2 * C];
            }
        }
    }
    return LAB_OK;
