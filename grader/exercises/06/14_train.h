// 14_train.h - shared by the two files of 6.14.

#ifndef GRADER_06_14_TRAIN_H
#define GRADER_06_14_TRAIN_H

#include "exercises/exercise.h"

extern const struct mistake train_mistakes[];
extern const struct mistake train_alternatives[];

#endif
