// 1.3 attention_scores crash
#include <stddef.h>
static const float *kept;
// BODY
    // Always reads the queries of the first call.
    kept = kept != NULL ? kept : q;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double dot = 0.0;
            for (size_t i = 0; i < d; i++) {
                dot += (double)kept[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(dot / sqrt((double)d));
        }
    }
    return LAB_OK;
