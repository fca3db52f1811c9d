// 5.8 block_parameter_count H-is-C
    (void)H;
    size_t norms = 4 * C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = 2 * (C * C + C);
    *count = norms + attention + mlp;
    return LAB_OK;
