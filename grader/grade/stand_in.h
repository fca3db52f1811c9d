// stand_in.h - the solutions beneath a lab, where an earlier lab does not pass.

#ifndef GRADER_STAND_IN_H
#define GRADER_STAND_IN_H

#include "grade/side.h"

// Students may call a function of an earlier lab where the solution does not. What is called
// has to be judged as well, so that it is known whether it needs a stand-in.
void choose_called(struct run *run);

// Links the worker again if an earlier lab must be replaced.
void stand_in(struct run *run, size_t lab);

#endif
