// 02_wordpiece.h - shared by the two files of 11.2.

#ifndef GRADER_11_02_WORDPIECE_H
#define GRADER_11_02_WORDPIECE_H

#include "exercises/exercise.h"

extern const struct mistake wordpiece_mistakes[], wordpiece_alternatives[];

#endif
