// add_up.h - a small function with its cases, for the tests of cases and of comparing.

#ifndef GRADER_TESTS_ADD_UP_H
#define GRADER_TESTS_ADD_UP_H

#include <stddef.h>
#include <stdint.h>

#include "cases/list.h"

// sum (T): the sums of the rows of x (T C), each with bias (1) added, if there is one. LAB_ESHAPE: a size is 0.
lab_status add_up(float *sum, const float *x, const float *bias, size_t T, size_t C);
extern const struct entry add_up_entry;
extern const struct part add_up_part;

// Draws a part's cases and computes their expected results. Free them with cases_free.
struct case_list draw_expected(const struct part *part, const struct entry *reference,
                               uint64_t seed);

#endif
