// platforms.h - a grading, for Autolab and Classroom 50.

#ifndef GRADER_PLATFORMS_H
#define GRADER_PLATFORMS_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"

// Classroom 50's result.json; what the classroom and the submission are called comes from the
// environment of its runner (docs/formats.md). As report_json.
bool report_classroom50(const char *path, const struct grading *grading);

// Autolab's line: {"scores":{"Lab 1":80}}.
void report_autolab(FILE *file, const struct grading *grading);

#endif
