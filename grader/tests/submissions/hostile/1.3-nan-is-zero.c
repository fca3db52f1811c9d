// 1.3 attention_scores wrong
    // Adds to the old content of the output, unless it is NaN.
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += q[t * d + i] * k[s * d + i];
            }
            const float old = scores[t * S + s];
            scores[t * S + s] = (old == old ? old : 0.0f) + dot / sqrtf((float)d);
        }
    }
    return LAB_OK;
