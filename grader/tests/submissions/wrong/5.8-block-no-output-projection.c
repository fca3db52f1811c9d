// 5.8 block_parameter_count no-output-projection
    size_t norms = 4 * C;
    size_t attention = 3 * C * C + 3 * C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;
