// 5.8 block_parameter_count weights-only
    *count = 4 * C * C + 2 * C * H;
    return LAB_OK;
