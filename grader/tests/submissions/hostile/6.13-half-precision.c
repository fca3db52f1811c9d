// 6.13 learning_rate wrong
    int power; // eleven bits by hand: gcc before 12 has no _Float16 here
    const double fraction = frexp((double)warmup, &power);
    const double half = ldexp(nearbyint(ldexp(fraction, 11)), power - 11);
    if (step <= warmup) {
        *lr = (float)(peak * ((double)step / half));
    } else if (step <= total) {
        const double p = (double)(step - warmup) / (double)(total - warmup);
        *lr = (float)(floor + ((double)peak - floor) * 0.5 * (1.0 + cos(acos(-1.0) * p)));
    } else {
        *lr = floor;
    }
    return LAB_OK;
