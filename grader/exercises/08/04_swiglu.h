// 04_swiglu.h - functions of 8.4 that other exercises use.

#ifndef GRADER_08_04_SWIGLU_H
#define GRADER_08_04_SWIGLU_H

#include "exercises/exercise.h"

// In double: an alternative for 8.4 and for parts of 8.8.
lab_status swiglu_backward_in_double(float *da, float *db, const float *dy,
                                     const float *a, const float *b, size_t N);

#endif
