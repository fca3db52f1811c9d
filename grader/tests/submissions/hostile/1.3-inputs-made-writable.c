// 1.3 attention_scores crash
    extern int mprotect(void *, size_t, int);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = dot / sqrtf((float)d);
        }
    }
    float *mine = (float *)q;
    mprotect((char *)q - (unsigned long long)q % 4096, 4096, 3);
    mine[0] = 42.0f;
    return LAB_OK;
