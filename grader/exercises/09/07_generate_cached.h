// 07_generate_cached.h - shared by the two files of 9.7.

#ifndef GRADER_09_07_GENERATE_CACHED_H
#define GRADER_09_07_GENERATE_CACHED_H

#include "exercises/exercise.h"

extern const struct mistake generate_mistakes[], generate_alternatives[];

#endif
