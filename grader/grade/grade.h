// grade.h - one run of the grader.
//
//   grade_run      chooses the exercises; run.c compiles and judges them (grader/build, grader/judge),
//   struct result  is then printed by grader/report.

#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "grade/grading.h"
#include "judge/options.h"

// Judges everything that the options ask for. Problems of the options are reported on stderr
// and end in EXIT_USAGE, our own in EXIT_GRADER: both by not returning.
struct grading grade_run(const struct options *options);

#endif
