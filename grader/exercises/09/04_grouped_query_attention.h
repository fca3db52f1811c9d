// 04_grouped_query_attention.h - shared by the two files of 9.4.

#ifndef GRADER_09_04_GROUPED_QUERY_ATTENTION_H
#define GRADER_09_04_GROUPED_QUERY_ATTENTION_H

#include "exercises/exercise.h"

extern const struct mistake gqa_mistakes[];
extern const struct mistake gqa_alternatives[];

#endif
