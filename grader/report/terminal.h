// terminal.h - prints a grading.

#ifndef GRADER_TERMINAL_H
#define GRADER_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"

// Prints one line per exercise, then the details of each failure. color: use terminal
// colors.
void report_terminal(FILE *file, const struct grading *grading, bool color);

#endif
