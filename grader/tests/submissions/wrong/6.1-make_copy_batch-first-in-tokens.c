// 6.1 make_copy_batch first-in-tokens
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first + i];
    }
    return make_targets(targets, inputs, task, B, T, V);
