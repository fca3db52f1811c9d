// 5.8 stack_parameter_count one-block
    (void)L;
    return block_parameter_count(count, C, H);
