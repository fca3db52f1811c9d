// follow.h - judges an exercise again if it builds on a failing one of its lab.

#ifndef GRADER_FOLLOW_H
#define GRADER_FOLLOW_H

#include "grade/side.h"

// Judges again the exercises of a lab that build on failing ones of the same lab.
void follow_through(struct run *run, size_t lab);

// Returns true if follow_through will judge the postponed exercises.
bool may_put_off(const struct run *run, size_t lab);

#endif
