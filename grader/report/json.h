// json.h - writes a grading for Gradescope.

#ifndef GRADER_JSON_H
#define GRADER_JSON_H

#include <stdbool.h>

#include "grade/grading.h"

// Writes Gradescope's results.json. On failure prints one line, leaves the old file
// unchanged and returns false.
bool report_json(const char *path, const struct grading *grading);

#endif
