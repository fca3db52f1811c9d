// hidden.h - cases of a seed that students are not told.

#ifndef GRADER_HIDDEN_H
#define GRADER_HIDDEN_H

#include "grade/grading.h"

// Judges passing exercises again, on the cases of a secret seed. An exercise that fails there
// becomes WRONG, and nothing else is kept about it.
void grade_hidden(struct grading *grading, uint64_t seed);

#endif
