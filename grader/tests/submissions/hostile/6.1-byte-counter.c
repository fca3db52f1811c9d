// 6.1 make_copy_batch wrong
    memset(inputs, 0, B * T * sizeof *inputs);
    for (unsigned char b = 0; b < (unsigned char)B; b++) {
        memcpy(inputs + b * T, data + (first + b) * T, T * sizeof *inputs);
    }
    return make_targets(targets, inputs, task, B, T, V);
