// 5.8 gpt2_parameter_count output-bias
    size_t stack;
    lab_status status = stack_parameter_count(&stack, C, 4 * C, L);
    if (status == LAB_OK) {
        *count = V * C + T * C + stack + 2 * C + V;
    }
    return status;
