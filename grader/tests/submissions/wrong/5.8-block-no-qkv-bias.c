// 5.8 block_parameter_count no-qkv-bias
    size_t norms = 4 * C;
    size_t attention = 3 * C * C + C * C + C;
    size_t mlp = 2 * C * H + H + C;
    *count = norms + attention + mlp;
    return LAB_OK;
