// 05_sliding_window.h - shared by the two files of 9.5.

#ifndef GRADER_09_05_SLIDING_WINDOW_H
#define GRADER_09_05_SLIDING_WINDOW_H

#include "exercises/exercise.h"
#include "exercises/09/glance.h"

// For sliding_window_attention.
extern const struct case_spec window_cases[];
extern const struct property window_properties[];
extern const struct mistake window_mistakes[];
extern const struct mistake window_alternatives[];

#endif
