// 5.8 gpt2_parameter_count no-embeddings
    size_t stack;
    lab_status status = stack_parameter_count(&stack, C, 4 * C, L);
    if (status == LAB_OK) {
        *count = stack + 2 * C;
    }
    return status;
