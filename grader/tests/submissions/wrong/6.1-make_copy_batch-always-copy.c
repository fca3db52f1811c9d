// 6.1 make_copy_batch always-copy
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first * T + i];
    }
    return make_targets(targets, inputs, TASK_COPY, B, T, V);
