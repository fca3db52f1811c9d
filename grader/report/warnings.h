// warnings.h - shows compiler warnings.

#ifndef GRADER_WARNINGS_H
#define GRADER_WARNINGS_H

#include <stdio.h>

#include "grade/grading.h"

// Prints the warnings about judged functions, the number of other warnings, and the command
// that shows them.
void report_warnings(FILE *file, const struct grading *grading,
                     const struct warnings *of);

#endif
