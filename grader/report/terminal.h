// terminal.h - a grading, for a person.

#ifndef GRADER_TERMINAL_H
#define GRADER_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "grade/grading.h"

// One line per exercise, then what went wrong with each. colour: with terminal colours.
void report_terminal(FILE *file, const struct grading *grading, bool colour);

#endif
