// 08_language_backward.h - shared by the files of 8.8: the tables of its two functions.

#ifndef GRADER_08_08_LANGUAGE_BACKWARD_H
#define GRADER_08_08_LANGUAGE_BACKWARD_H

#include "exercises/exercise.h"

extern const struct case_spec block_backward_cases[];
extern const struct mistake block_backward_mistakes[];
extern const struct mistake block_backward_alternatives[];

#endif
