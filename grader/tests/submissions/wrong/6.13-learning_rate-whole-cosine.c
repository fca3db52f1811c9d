// 6.13 learning_rate whole-cosine
    if (step <= warmup) {
        *lr = peak * (float)step / (float)warmup;
        return LAB_OK;
    }
    if (step > total) {
        *lr = floor;
        return LAB_OK;
    }
    float p = (float)(step - warmup) / (float)(total - warmup);
    *lr = floor + (peak - floor) * (1.0f + cosf(6.2831853f * p)) / 2.0f;
    return LAB_OK;
