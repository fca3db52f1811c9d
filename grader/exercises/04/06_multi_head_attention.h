// 06_multi_head_attention.h - shared by the two files of 4.6.

#ifndef GRADER_04_06_MULTI_HEAD_ATTENTION_H
#define GRADER_04_06_MULTI_HEAD_ATTENTION_H

#include "exercises/exercise.h"

extern const struct mistake mha_mistakes[];
extern const struct mistake mha_alternatives[];

#endif
