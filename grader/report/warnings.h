// warnings.h - what the compiler warns of.

#ifndef GRADER_WARNINGS_H
#define GRADER_WARNINGS_H

#include <stdio.h>

#include "grade/grading.h"

// What the compiler warns of in the functions that were judged; how many other warnings there are,
// and the command that shows them.
void report_warnings(FILE *file, const struct grading *grading,
                     const struct warnings *of);

#endif
