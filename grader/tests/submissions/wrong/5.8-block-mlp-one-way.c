// 5.8 block_parameter_count mlp-one-way
    size_t norms = 4 * C;
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = C * H + H;
    *count = norms + attention + mlp;
    return LAB_OK;
