// finding.h - what the simulated GPU found in a student's kernel.

#ifndef GRADER_FINDING_H
#define GRADER_FINDING_H

#include "judge/trial.h"

// If that is how the worker ended: sets the result and returns true.
bool explain_finding(struct trial *trial);

#endif
