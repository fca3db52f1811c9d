// 5.8 block_parameter_count no-biases
    size_t norms = 4 * C;
    size_t attention = 4 * C * C;
    size_t mlp = 2 * C * H;
    *count = norms + attention + mlp;
    return LAB_OK;
