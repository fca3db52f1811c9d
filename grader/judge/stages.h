// stages.h - the steps of a function.

#ifndef GRADER_STAGES_H
#define GRADER_STAGES_H

#include <stdio.h>

#include "cases/case.h"

// Of a function with steps, the first one whose result is not the solution's.
void explain_stages(FILE *file, const struct test_case *test);

#endif
