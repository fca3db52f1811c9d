// 01_layernorm.h - shared by the two files of 5.1.

#ifndef GRADER_05_01_LAYERNORM_H
#define GRADER_05_01_LAYERNORM_H

#include "exercises/exercise.h"

extern const struct mistake layernorm_mistakes[];
extern const struct mistake layernorm_alternatives[];

#endif
