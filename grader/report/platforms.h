// platforms.h - writes a grading for Autolab and Classroom 50.

#ifndef GRADER_PLATFORMS_H
#define GRADER_PLATFORMS_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"

// Writes Classroom 50's result.json. The names of classroom and submission come from the
// runner's environment (docs/formats.md). Errors as in report_json.
bool report_classroom50(const char *path, const struct grading *grading);

// Prints Autolab's line: {"scores":{"Lab 1":80}}.
void report_autolab(FILE *file, const struct grading *grading);

#endif
