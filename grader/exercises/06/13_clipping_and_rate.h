// 13_clipping_and_rate.h - shared by the files of 6.13.

#ifndef GRADER_06_13_CLIPPING_AND_RATE_H
#define GRADER_06_13_CLIPPING_AND_RATE_H

#include "exercises/exercise.h"

extern const struct case_spec clip_grad_norm_cases[], learning_rate_cases[];
extern const struct mistake clip_grad_norm_mistakes[], clip_grad_norm_alternatives[];
extern const struct mistake learning_rate_mistakes[], learning_rate_alternatives[];

#endif
