// 1.3 attention_scores whole-sum
    const double scale = 1.0 / sqrt((double)d);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            int dot = 0;
            for (size_t i = 0; i < d; i++) {
                dot += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(dot * scale);
        }
    }
    return LAB_OK;
