// 05_flash_decode.h - connects 10.5's cases and its known mistakes.

#ifndef GRADER_10_FLASH_DECODE_H
#define GRADER_10_FLASH_DECODE_H

#include "exercises/exercise.h"

extern const struct mistake combine_mistakes[], combine_alternatives[];
extern const struct mistake decode_mistakes[], decode_alternatives[];

#endif
