// 6.1 make_targets not-added
    for (size_t b = 0; b < B; b++) {
        const size_t *x = inputs + b * T;
        size_t *y = targets + b * T;
        for (size_t t = 0; t < T; t++) {
            switch (task) {
            case TASK_REVERSE:
                y[t] = x[T - 1 - t];
                break;
            default:
                y[t] = x[t];
            }
        }
        for (size_t i = 0; task == TASK_SORT && i < T; i++) {
            for (size_t j = i + 1; j < T; j++) {
                if (y[j] < y[i]) {
                    size_t kept = y[i];
                    y[i] = y[j];
                    y[j] = kept;
                }
            }
        }
    }
    return LAB_OK;
