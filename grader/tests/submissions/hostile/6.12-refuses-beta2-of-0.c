// 6.12 adam_step wrong
    if (s->beta2 == 0.0) {
        return LAB_EVALUE;
    }
    const double m_correction = 1.0 - pow(s->beta1, (double)step);
    const double v_correction = 1.0 - pow(s->beta2, (double)step);
    for (size_t i = 0; i < N; i++) {
        w[i] -= (float)(s->lr * s->weight_decay) * w[i];
        m[i] = (float)(s->beta1 * m[i] + (1.0 - s->beta1) * g[i]);
        v[i] = (float)(s->beta2 * v[i] + (1.0 - s->beta2) * g[i] * g[i]);
        w[i] -= (float)(s->lr * (m[i] / m_correction) / (sqrt(v[i] / v_correction) + s->eps));
    }
    return LAB_OK;
