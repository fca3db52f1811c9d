// 5.8 stack_parameter_count norms-once
    size_t norms = 4 * C;
    size_t rest = 4 * C * C + 4 * C + 2 * C * H + H + C;
    *count = norms + L * rest;
    return LAB_OK;
