// stages.h - finds the first wrong step of a function.

#ifndef GRADER_STAGES_H
#define GRADER_STAGES_H

#include <stdio.h>

#include "cases/case.h"

// For a function with steps, reports the first step whose result differs from the
// solution's.
void explain_stages(FILE *file, const struct test_case *test);

#endif
