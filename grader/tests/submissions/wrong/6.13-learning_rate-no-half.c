// 6.13 learning_rate no-half
    if (step <= warmup) {
        *lr = peak * (float)step / (float)warmup;
        return LAB_OK;
    }
    if (step > total) {
        *lr = floor;
        return LAB_OK;
    }
    float p = (float)(step - warmup) / (float)(total - warmup);
    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p));
    return LAB_OK;
