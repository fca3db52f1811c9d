// 04_swiglu.h - what other exercises use of 8.4.

#ifndef GRADER_08_04_SWIGLU_H
#define GRADER_08_04_SWIGLU_H

#include "exercises/exercise.h"

// In double: an alternative of 8.4, and of 8.8's parts.
lab_status swiglu_backward_in_double(float *da, float *db, const float *dy,
                                     const float *a, const float *b, size_t N);

#endif
