// 6.13 learning_rate no-floor
    if (step <= warmup) {
        *lr = peak * (float)step / (float)warmup;
        return LAB_OK;
    }
    (void)floor;
    if (step > total) {
        *lr = 0.0f;
        return LAB_OK;
    }
    float p = (float)(step - warmup) / (float)(total - warmup);
    *lr = peak * (1.0f + cosf(3.14159265f * p)) / 2.0f;
    return LAB_OK;
