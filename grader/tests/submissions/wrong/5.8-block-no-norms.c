// 5.8 block_parameter_count no-norms
    size_t attention = 4 * C * C + 4 * C;
    size_t mlp = 2 * C * H + H + C;
    *count = attention + mlp;
    return LAB_OK;
