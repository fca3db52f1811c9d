// library.h - what OpenBLAS says of arguments that make no sense.

#ifndef GRADER_LIBRARY_H
#define GRADER_LIBRARY_H

#include "judge/trial.h"

// Adds what it printed, in whatever call.
void explain_library(struct trial *trial);

#endif
