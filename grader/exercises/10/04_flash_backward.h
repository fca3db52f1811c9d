// 04_flash_backward.h - connects 10.4's cases and its known mistakes.

#ifndef GRADER_10_FLASH_BACKWARD_H
#define GRADER_10_FLASH_BACKWARD_H

#include "exercises/exercise.h"

extern const struct mistake backward_mistakes[], backward_alternatives[];

#endif
