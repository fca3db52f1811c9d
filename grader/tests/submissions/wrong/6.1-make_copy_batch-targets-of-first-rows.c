// 6.1 make_copy_batch targets-of-first-rows
    for (size_t i = 0; i < B * T; i++) {
        inputs[i] = data[first * T + i];
    }
    return make_targets(targets, data, task, B, T, V);
