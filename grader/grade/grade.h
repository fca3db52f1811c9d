// grade.h - one run of the grader.
//
//   grade_run      chooses the exercises; run.c compiles and judges them (grader/build, grader/judge),
//   struct result  is then printed by grader/report.

#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "grade/grading.h"
#include "judge/options.h"

// Judges everything that the options select. On wrong options prints a message and exits
// with EXIT_USAGE; if the grader fails, exits with EXIT_GRADER.
struct grading grade_run(const struct options *options);

#endif
