// 7.2 add_positions nothing-added
    (void)table;
    for (size_t i = 0; i < B * T * C; i++) {
        out[i] = x[i];
    }
    return LAB_OK;
