// 6.1 make_targets reverse-overwritten
    for (size_t b = 0; b < B; b++) {
        const size_t *x = inputs + b * T;
        size_t *y = targets + b * T;
        memcpy(y, x, T * sizeof *y);
        if (task == TASK_SORT) {
            sort_tokens(y, x, T);
        } else if (task == TASK_REVERSE) {
            for (size_t t = 0; t < T; t++) {
                y[t] = y[T - 1 - t]; // the second half has lost its first
            }
        } else if (task == TASK_ADD) {
            for (size_t t = 1; t < T; t++) {
                y[t] = (x[t] + x[t - 1]) % V;
            }
        }
    }
    return LAB_OK;
