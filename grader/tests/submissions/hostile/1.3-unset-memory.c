// 1.3 attention_scores wrong
#include <stdlib.h>
// BODY
    // Adds to uninitialized memory, beyond the first page, which may be filled.
    double *room = malloc(8192 + T * S * sizeof *room), *sum = room + 1024;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < d; i++) {
                sum[t * S + s] += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(sum[t * S + s] / sqrt((double)d));
        }
    }
    free(room);
    return LAB_OK;
