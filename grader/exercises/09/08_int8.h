// 08_int8.h - what connects the files of 9.8.

#ifndef GRADER_09_INT8_H
#define GRADER_09_INT8_H

#include "exercises/exercise.h"

// What a cast to int8_t gives on the machines we know, also where the standard leaves it open: the
// fraction is cut off, and the low byte stays.
int8_t byte_of(float value);

extern const struct case_spec linear_int8_cases[];
extern const struct property linear_int8_properties[];
extern const struct mistake linear_int8_mistakes[], linear_int8_alternatives[];
extern const struct mistake quantize_rows_mistakes[], quantize_rows_alternatives[];

#endif
