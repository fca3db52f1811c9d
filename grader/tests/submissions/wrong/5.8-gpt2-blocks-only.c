// 5.8 gpt2_parameter_count blocks-only
    return stack_parameter_count(count, C, 4 * C, L);
