// 1.3 attention_scores pass
// Nothing hostile, but these variables cannot be loaded into a running program, so the worker must
// be a complete program.
static __thread double dots[1 << 13] __attribute__((tls_model("initial-exec")));
// BODY
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double *dot = &dots[s % (1 << 13)];
            *dot = 0.0;
            for (size_t i = 0; i < d; i++) {
                *dot += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(*dot / sqrt((double)d));
        }
    }
    return LAB_OK;
