// 05_scaled_dot_product_attention.h - shared by the two files of 4.5.

#ifndef GRADER_04_05_SCALED_DOT_PRODUCT_ATTENTION_H
#define GRADER_04_05_SCALED_DOT_PRODUCT_ATTENTION_H

#include "exercises/exercise.h"

extern const struct mistake sdpa_mistakes[];
extern const struct mistake sdpa_alternatives[];

#endif
