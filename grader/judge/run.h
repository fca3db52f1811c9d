// run.h - compile, link and judge what a grading has chosen.

#ifndef GRADER_RUN_H
#define GRADER_RUN_H

#include "judge/grade.h"

// Fills every result, the notes and the warnings.
void run_grading(struct grading *grading);

#endif
