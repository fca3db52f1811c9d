// 5.8 block_parameter_count one-norm
    size_t norms = C + C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;
