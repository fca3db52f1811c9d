// 1.3 attention_scores kept-between-calls
    // "the same matrices as last time": the addresses say nothing about the numbers
    static const float *last_q, *last_k;
    static size_t last_T, last_S, last_d;
    static float last[4096];
    const int known = q == last_q && k == last_k && T == last_T && S == last_S &&
                      d == last_d && T * S <= 4096;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double dot = 0.0;
            for (size_t i = 0; i < d; i++) {
                dot += (double)q[t * d + i] * (double)k[s * d + i];
            }
            scores[t * S + s] =
                known ? last[t * S + s] : (float)(dot / sqrt((double)d));
        }
    }
    for (size_t i = 0; i < T * S && T * S <= 4096; i++) {
        last[i] = scores[i];
    }
    last_q = q, last_k = k, last_T = T, last_S = S, last_d = d;
    return LAB_OK;
