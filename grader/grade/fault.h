// fault.h - decides whether a failure is the student's or the grader's.

#ifndef GRADER_FAULT_H
#define GRADER_FAULT_H

#include "grade/side.h"

// A failure of the grader must never count against the student, and a student must not be
// able to make a failure look like the grader's. In doubtful cases the solution is tried in
// the same way.
void decide_whose_fault(struct run *run);

#endif
