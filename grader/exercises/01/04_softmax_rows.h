// 04_softmax_rows.h - shared by the two files of 1.4.

#ifndef GRADER_01_04_SOFTMAX_ROWS_H
#define GRADER_01_04_SOFTMAX_ROWS_H

#include "exercises/exercise.h"

extern const struct mistake softmax_mistakes[];
extern const struct mistake softmax_alternatives[];

#endif
