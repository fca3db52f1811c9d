// 6.13 learning_rate whole-number-division
    if (step <= warmup) {
        *lr = peak * (float)(step / warmup);
        return LAB_OK;
    }
    if (step > total) {
        *lr = floor;
        return LAB_OK;
    }
    float p = (float)(step - warmup) / (float)(total - warmup);
    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
    return LAB_OK;
