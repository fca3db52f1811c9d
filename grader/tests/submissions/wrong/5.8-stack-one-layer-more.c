// 5.8 stack_parameter_count one-layer-more
    size_t block, sum = 0;
    lab_status status = block_parameter_count(&block, C, H);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t l = 0; l <= L; l++) {
        sum += block;
    }
    *count = sum;
    return LAB_OK;
