// 1.3 attention_scores not-set
    const float scale = 1.0f / sqrtf((float)d);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < d; i++) {
                scores[t * S + s] += scale * q[t * d + i] * k[s * d + i];
            }
        }
    }
    return LAB_OK;
