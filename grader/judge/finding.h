// finding.h - reports findings of the simulated GPU.

#ifndef GRADER_FINDING_H
#define GRADER_FINDING_H

#include "judge/trial.h"

// If a finding ended the worker, sets the result and returns true.
bool explain_finding(struct trial *trial);

#endif
