// 6.1 make_copy_batch one-row
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first * T + i % T];
    }
    return make_targets(targets, inputs, task, B, T, V);
