// warnings.h - shows compiler warnings and errors.

#ifndef GRADER_WARNINGS_H
#define GRADER_WARNINGS_H

#include <stdio.h>

#include "grade/grading.h"

// Prints the warnings about judged functions, the number of other warnings, and the command
// that shows them.
void report_warnings(FILE *file, const struct grading *grading,
                     const struct warnings *of);

// Prints the compiler's output about a file that does not compile: its errors, the number of its
// warnings (an error causes some of them), and the command that shows them. Prints everything
// with --warnings, or if there is no compiler's error.
void report_errors(FILE *file, const struct grading *grading,
                   const struct lab_place *place, const char *text);

// Everything about a failing exercise, for the formats that have a text for each: report_text, with
// the compiler's output about a file that does not compile as report_errors prints it, and the
// warnings about the exercise's functions. Caller frees.
char *report_failure(const struct grading *grading, const struct result *result);

#endif
