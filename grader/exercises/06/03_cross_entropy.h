// 03_cross_entropy.h - shared by the two files of 6.3.

#ifndef GRADER_06_03_CROSS_ENTROPY_H
#define GRADER_06_03_CROSS_ENTROPY_H

#include "exercises/exercise.h"

extern const struct mistake cross_entropy_mistakes[];
extern const struct mistake cross_entropy_alternatives[];

#endif
