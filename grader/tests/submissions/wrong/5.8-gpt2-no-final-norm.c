// 5.8 gpt2_parameter_count no-final-norm
    size_t stack;
    lab_status status = stack_parameter_count(&stack, C, 4 * C, L);
    if (status == LAB_OK) {
        *count = V * C + T * C + stack;
    }
    return status;
