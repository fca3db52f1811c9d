// log_softmax.c - see log_softmax.h.

#include "exercises/common/log_softmax.h"

#include <math.h>

static bool counts(const uint8_t *may, size_t s)
{
    return may == NULL || may[s] != 0;
}

void softmax_by_log(enum log_form form, bool nan, float *weights, const float *scores,
                    const uint8_t *may, size_t S)
{
    float max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        max = counts(may, s) ? fmaxf(max, scores[s]) : max;
    }
    double sum = 0.0;
    for (size_t s = 0; s < S; s++) {
        sum += counts(may, s) ? exp((double)scores[s] - (double)max) : 0.0;
    }
    const float shift = max + (float)log(sum);
    for (size_t s = 0; s < S; s++) {
        const double exact = (double)scores[s] - (double)max - log(sum);
        const float log_weight = form == LOG_WEIGHT ? (float)exact : scores[s] - shift;
        const bool zero = !counts(may, s) || (!nan && max == -INFINITY);
        weights[s] = zero ? 0.0f : form == LOG_SUM_LOST ? expf(log_weight) : log_weight;
    }
}
