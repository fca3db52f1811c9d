// 5.4 dropout wrong
#include <stdlib.h>
// BODY
    // Decides once for each size which numbers are kept.
    static bool *kept;
    static size_t kept_N;
    if (training && kept_N != N) {
        free(kept);
        kept = malloc(N * sizeof *kept);
        for (size_t i = 0; i < N; i++) {
            kept[i] = uniforms[i] < 1.0f - p;
        }
        kept_N = N;
    }
    for (size_t i = 0; i < N; i++) {
        y[i] = !training ? x[i] : kept[i] ? x[i] / (1.0f - p) : 0.0f;
    }
    return LAB_OK;
