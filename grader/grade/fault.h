// fault.h - was a failure the student's, or the grader's?

#ifndef GRADER_FAULT_H
#define GRADER_FAULT_H

#include "grade/side.h"

// Our failure is never the student's, and a student cannot make theirs look like ours: where it
// is not clear, the solutions are tried in the same way.
void decide_whose_fault(struct run *run);

#endif
