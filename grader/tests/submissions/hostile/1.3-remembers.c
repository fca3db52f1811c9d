// 1.3 attention_scores wrong
// BODY
    // Computes the first case and returns the same result for all others.
    static float kept[65536];
    static size_t count;
    for (size_t i = 0; count == 0 && i < T * S && i < 65536; i++) {
        double dot = 0.0;
        for (size_t j = 0; j < d; j++) {
            dot += (double)q[i / S * d + j] * k[i % S * d + j];
        }
        kept[i] = (float)(dot / sqrt((double)d));
    }
    count = count == 0 ? T * S : count;
    for (size_t i = 0; i < T * S; i++) {
        scores[i] = kept[i % count];
    }
    return LAB_OK;
