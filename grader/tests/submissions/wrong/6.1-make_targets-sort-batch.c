// 6.1 make_targets sort-batch
    for (size_t i = 0; i < B * T; i++) {
        size_t t = i % T;
        const size_t *x = inputs + i - t;
        targets[i] = task == TASK_REVERSE          ? x[T - 1 - t]
                     : task == TASK_ADD && t > 0 ? (x[t] + x[t - 1]) % V
                                                 : x[t];
    }
    if (task == TASK_SORT) {
        sort_tokens(targets, inputs, B * T);
    }
    return LAB_OK;
