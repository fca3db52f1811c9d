// 01_online_softmax.h - shared by the files of 10.1.

#ifndef GRADER_10_01_ONLINE_SOFTMAX_H
#define GRADER_10_01_ONLINE_SOFTMAX_H

#include "exercises/exercise.h"

extern const struct mistake partial_mistakes[], partial_alternatives[];
extern const struct mistake merge_mistakes[], merge_alternatives[];

#endif
