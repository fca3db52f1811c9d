// callees.h - checks that a function returns the status of a function that it calls, if that
// fails.

#ifndef GRADER_CALLEES_H
#define GRADER_CALLEES_H

#include "judge/trial.h"

// Makes small calls of an exercise that passes, while one of the calls in its code fails. Each
// must then return the status of the call that failed, or be right without it. If one is
// neither, describes it, sets the result and returns true.
bool explain_ignored_status(struct trial *trial);

#endif
