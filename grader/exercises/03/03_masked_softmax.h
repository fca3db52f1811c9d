// 03_masked_softmax.h - shared by the two files of 3.3.

#ifndef GRADER_03_03_MASKED_SOFTMAX_H
#define GRADER_03_03_MASKED_SOFTMAX_H

#include "exercises/exercise.h"

extern const struct mistake masked_softmax_mistakes[];
extern const struct mistake masked_softmax_alternatives[];

#endif
