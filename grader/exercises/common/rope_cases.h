// rope_cases.h - the cases of rope (7.3) and of its backward function (8.5), which have the same
// arguments.

#ifndef GRADER_COMMON_ROPE_CASES_H
#define GRADER_COMMON_ROPE_CASES_H

#include "exercises/exercise.h"

// Angles in double are accurate to 1e-11 at place 131071, which leaves only the rounding of the
// result to float. A float angle is off by up to 0.004 there, but by less than this tolerance
// below place 40, so that float angles fail only the case made for them.
#define TURNED_TOLERANCE 2e-5f, 0

extern const struct case_spec rope_cases[];

// Positions that grow by 1 to 5. A fill.
void rope_fill_gaps(struct test_case *test, struct lab_rng *rng);

#endif
