// 02_flash_attention.h - shared by the files of 10.2.

#ifndef GRADER_10_02_FLASH_ATTENTION_H
#define GRADER_10_02_FLASH_ATTENTION_H

#include "exercises/exercise.h"

extern const struct mistake flash_mistakes[], flash_alternatives[];

#endif
