// 5.8 block_parameter_count one-projection
    size_t norms = 4 * C;
    size_t attention = (C * C + C) + (C * C + C);
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;
