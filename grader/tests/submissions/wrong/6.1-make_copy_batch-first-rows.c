// 6.1 make_copy_batch first-rows
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[i];
    }
    return make_targets(targets, inputs, task, B, T, V);
