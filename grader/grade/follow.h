// follow.h - an exercise on top of a failing one of its lab is judged once more.

#ifndef GRADER_FOLLOW_H
#define GRADER_FOLLOW_H

#include "grade/side.h"

// Judges again the exercises of a lab that build on failing ones of the same lab.
void follow_through(struct run *run, size_t lab);

// Will follow_through judge what waits for it?
bool may_put_off(const struct run *run, size_t lab);

#endif
