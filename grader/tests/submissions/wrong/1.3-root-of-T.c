// 1.3 attention_scores root-of-T
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = dot / sqrtf((float)T);
        }
    }
    return LAB_OK;
