// 5.8 stack_parameter_count final-norm
    size_t block;
    lab_status status = block_parameter_count(&block, C, H);
    if (status == LAB_OK) {
        *count = L * block + 2 * C;
    }
    return status;
