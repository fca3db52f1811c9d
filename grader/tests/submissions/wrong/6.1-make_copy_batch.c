// 6.1 make_copy_batch
    memcpy(inputs, data + first * T, B * T * sizeof *inputs);
    return make_targets(targets, inputs, task, B, T, V);

@ always-copy
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first * T + i];
    }
    return make_targets(targets, inputs, TASK_COPY, B, T, V);

@ first-in-tokens
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first + i];
    }
    return make_targets(targets, inputs, task, B, T, V);

@ first-rows
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[i];
    }
    return make_targets(targets, inputs, task, B, T, V);

@ one-row
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first * T + i % T];
    }
    return make_targets(targets, inputs, task, B, T, V);

@ targets-of-first-rows
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first * T + i];
    }
    return make_targets(targets, data, task, B, T, V);

@ elements-for-bytes
    memcpy(inputs, data + first * T, B * T);
    return make_targets(targets, inputs, task, B, T, V);
