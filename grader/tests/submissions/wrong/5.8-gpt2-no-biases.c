// 5.8 gpt2_parameter_count no-biases
    size_t block = 12 * C * C + 4 * C;
    *count = V * C + T * C + L * block + 2 * C;
    return LAB_OK;
