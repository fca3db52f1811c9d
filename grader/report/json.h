// json.h - a grading, for Gradescope.

#ifndef GRADER_JSON_H
#define GRADER_JSON_H

#include <stdbool.h>

#include "grade/grading.h"

// Gradescope's results.json. false with one line on stderr when it could not be written;
// whatever stood at path before is then still there.
bool report_json(const char *path, const struct grading *grading);

#endif
