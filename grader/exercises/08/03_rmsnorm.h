// 03_rmsnorm.h - shared by the files of 8.3: the tables of rmsnorm_backward.

#ifndef GRADER_08_03_RMSNORM_H
#define GRADER_08_03_RMSNORM_H

#include "exercises/exercise.h"

extern const struct case_spec rmsnorm_backward_cases[];
extern const struct mistake rmsnorm_backward_mistakes[];
extern const struct mistake rmsnorm_backward_alternatives[];

// In double, with each row's root mean square computed again: also an alternative for parts of
// 8.8.
lab_status rmsnorm_backward_in_double(float *dx, float *dgain, const float *dy,
                                      const float *x, const float *rrms,
                                      const float *gain, size_t N, size_t C);

#endif
