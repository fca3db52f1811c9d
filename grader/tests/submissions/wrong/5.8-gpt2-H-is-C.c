// 5.8 gpt2_parameter_count H-is-C
    size_t stack;
    lab_status status = stack_parameter_count(&stack, C, C, L);
    if (status == LAB_OK) {
        *count = (V + T) * C + stack + 2 * C;
    }
    return status;
