// alone.h - checks whether a failing call depends on earlier calls.

#ifndef GRADER_ALONE_H
#define GRADER_ALONE_H

#include "cases/case.h"
#include "judge/trial.h"

// Returns true if the call is right in a new process, with these contents of outputs and
// workspaces. If it is, its result depends on earlier calls.
bool right_alone(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test, enum contents contents);

// Repeats all calls in a new process. Returns true if the same calls of the part fail and
// this one gives the same numbers. A mistake may show only after other calls.
bool fails_again(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test);

#endif
