// alone.h - is a call right in a process that made no other one?

#ifndef GRADER_ALONE_H
#define GRADER_ALONE_H

#include "cases/case.h"
#include "judge/trial.h"

// Is the call right in a process of its own, with these contents in its outputs and
// workspaces? A result that differs there depends on the calls that came before.
bool right_alone(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test, enum contents contents);

// Do the same calls of the part fail, and does this one give the same numbers, when all are
// made once more in a new process? A mistake that one call alone does not show may need all
// of them.
bool fails_again(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test);

#endif
