// stack.h - the lines of the student's file in a sanitizer's report.
//
// The report is text printed by the student's process, which may have forged it.

#ifndef GRADER_STACK_H
#define GRADER_STACK_H

#include "judge/trial.h"

// Where a sanitizer's report begins in the output; the end of the output if there is none.
const char *report_start(const struct outcome *outcome);

// Where the worker's last report of a time-out begins: the student's code may have printed another one
// before it.
const char *late_report_start(const struct outcome *outcome);

// The calls in the student's file that led to the crash, from a sanitizer's stack traces.
void show_stack(const struct trial *trial);

#endif
