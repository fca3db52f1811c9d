// sampling.c - checks the settings of sampling.

#include "common/sampling.h"

#include <math.h>

// Every comparison is written so that it refuses NaN.
bool sampling_allowed(const struct sampling *sampling, const float *uniforms,
                      size_t count)
{
    bool allowed = 0.0f <= sampling->temperature && sampling->temperature < INFINITY &&
                   0.0f < sampling->top_p && sampling->top_p <= 1.0f;
    for (size_t i = 0; i < count; i++) {
        allowed = allowed && 0.0f <= uniforms[i] && uniforms[i] < 1.0f;
    }
    return allowed;
}
