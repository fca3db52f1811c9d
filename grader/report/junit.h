// junit.h - writes a grading as JUnit XML.

#ifndef GRADER_JUNIT_H
#define GRADER_JUNIT_H

#include <stdbool.h>

#include "grade/grading.h"

// Writes JUnit XML. Errors as in report_json.
bool report_junit(const char *path, const struct grading *grading);

#endif
