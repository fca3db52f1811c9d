// 3.3 masked_softmax divide-from-1
#include <stdbool.h>
// BODY
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = mask[n * S + s] ? fmaxf(max, scores[n * S + s]) : max;
        }
        for (size_t s = 0; s < S; s++) {
            const bool counts = mask[n * S + s] && max > -INFINITY;
            weights[n * S + s] = counts ? expf(scores[n * S + s] - max) : 0.0f;
            sum += weights[n * S + s];
        }
        for (size_t s = 1; s < S; s++) {
            weights[n * S + s] = sum > 0.0f ? weights[n * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;
