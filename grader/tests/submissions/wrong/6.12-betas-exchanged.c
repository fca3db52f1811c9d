// 6.12 adam_step betas-exchanged
    const double a = s->beta2, b = s->beta1;
    for (size_t i = 0; i < N; i++) {
        w[i] -= (float)(s->lr * s->weight_decay * w[i]);
        m[i] = (float)(a * m[i] + (1.0 - a) * g[i]);
        v[i] = (float)(b * v[i] + (1.0 - b) * g[i] * g[i]);
        double first = m[i] / (1.0 - pow(a, (double)step));
        double second = v[i] / (1.0 - pow(b, (double)step));
        w[i] -= (float)(s->lr * first / (sqrt(second) + s->eps));
    }
    return LAB_OK;
