// run.h - compile, link and judge the chosen exercises.

#ifndef GRADER_RUN_H
#define GRADER_RUN_H

#include "grade/grading.h"

// Sets every result, the notes and the warnings.
void run_grading(struct grading *grading);

#endif
