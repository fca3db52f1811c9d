// 6.13 learning_rate one-late
    const double k = (double)step - 1.0, w = (double)warmup;
    if (k < w || (k == w && warmup > 0)) {
        *lr = (float)(peak * k / w);
    } else if (k <= (double)total) {
        const double p = total > warmup ? (k - w) / (double)(total - warmup) : 0.0;
        *lr = (float)(floor + ((double)peak - floor) * 0.5 * (1.0 + cos(acos(-1.0) * p)));
    } else {
        *lr = floor;
    }
    return LAB_OK;
