// junit.h - a grading, for programs that read JUnit XML.

#ifndef GRADER_JUNIT_H
#define GRADER_JUNIT_H

#include <stdbool.h>

#include "grade/grading.h"

// JUnit XML. As report_json.
bool report_junit(const char *path, const struct grading *grading);

#endif
