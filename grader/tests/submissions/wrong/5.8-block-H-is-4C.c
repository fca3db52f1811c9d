// 5.8 block_parameter_count H-is-4C
    (void)H;
    size_t norms = 4 * C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = C * 4 * C + 4 * C + 4 * C * C + C;
    *count = norms + attention + mlp;
    return LAB_OK;
