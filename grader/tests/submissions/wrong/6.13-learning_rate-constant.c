// 6.13 learning_rate constant
    *lr = step < warmup ? peak * (float)step / (float)warmup : peak;
    (void)floor;
    return LAB_OK;
