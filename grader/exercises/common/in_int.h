// in_int.h - a softmax that keeps its maximum in an int, for the mistakes of labs 1 and 2.

#ifndef GRADER_COMMON_IN_INT_H
#define GRADER_COMMON_IN_INT_H

#include <math.h>

// After "the " or "the row's ".
#define MAX_IN_INT_WHAT "maximum is kept in an int, which holds no score beyond 2.1e9"
#define MAX_IN_INT_WHY                                                                   \
    "The conversion of a larger number to int is undefined, and the differences are as " \
    "large as the scores. Keep the maximum in a float."

// As (int)x of x86: what an int does not hold becomes INT_MIN.
static inline float as_int(float x)
{
    return fabsf(x) < 2147483648.0f ? truncf(x) : -2147483648.0f;
}

#endif
