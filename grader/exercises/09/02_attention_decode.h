// 02_attention_decode.h - shared by the two files of 9.2.

#ifndef GRADER_09_02_ATTENTION_DECODE_H
#define GRADER_09_02_ATTENTION_DECODE_H

#include "exercises/exercise.h"

extern const struct mistake attention_decode_mistakes[];
extern const struct mistake attention_decode_alternatives[];

#endif
