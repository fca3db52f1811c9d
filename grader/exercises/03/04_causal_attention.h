// 04_causal_attention.h - shared by the two files of 3.4.

#ifndef GRADER_03_04_CAUSAL_ATTENTION_H
#define GRADER_03_04_CAUSAL_ATTENTION_H

#include "exercises/exercise.h"

extern const struct mistake causal_attention_mistakes[];
extern const struct mistake causal_attention_alternatives[];

#endif
