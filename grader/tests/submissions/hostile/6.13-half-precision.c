// 6.13 learning_rate wrong
    if (step <= warmup) {
        *lr = (float)(peak * ((double)step / (double)(_Float16)warmup));
    } else if (step <= total) {
        const double p = (double)(step - warmup) / (double)(total - warmup);
        *lr = (float)(floor + ((double)peak - floor) * 0.5 * (1.0 + cos(acos(-1.0) * p)));
    } else {
        *lr = floor;
    }
    return LAB_OK;
