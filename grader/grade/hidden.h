// hidden.h - judges on cases with a secret seed.

#ifndef GRADER_HIDDEN_H
#define GRADER_HIDDEN_H

#include "grade/grading.h"

// Judges passing exercises again on the cases of a secret seed. An exercise that fails
// there becomes WRONG, and no details are kept.
void grade_hidden(struct grading *grading, uint64_t seed);

#endif
