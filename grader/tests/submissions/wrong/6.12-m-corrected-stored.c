// 6.12 adam_step m-corrected-stored
    const double lr = s->lr, wd = s->weight_decay;
    const double fix_m = 1.0 - pow(s->beta1, (double)step);
    const double fix_v = 1.0 - pow(s->beta2, (double)step);
    for (size_t i = 0; i < N; i++) {
        double grad = g[i], weight = w[i];
        weight -= lr * wd * weight;
        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * grad);
        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * grad * grad);
        double first = m[i] / fix_m, second = v[i] / fix_v;
        m[i] = (float)first;
        weight -= lr * first / (sqrt(second) + s->eps);
        w[i] = (float)weight;
    }
    return LAB_OK;
