// next.h - a report's last line: the next step for a student.

#ifndef GRADER_NEXT_H
#define GRADER_NEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"

// Was this exercise selected, and does it fail for a reason of its own?
bool report_needs_words(const struct result *result);

// Prints "next: fix 1.3 attention_scores (hint: make hint EX=1.3)", or another next step, or nothing.
void report_next(FILE *file, const struct grading *grading);

#endif
