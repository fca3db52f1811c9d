// 5.8 gpt2_parameter_count one-block
    size_t stack;
    lab_status status = block_parameter_count(&stack, C, 4 * C);
    if (status == LAB_OK) {
        *count = V * C + T * C + stack + 2 * C;
    }
    return status;
