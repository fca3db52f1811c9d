// library.h - explains OpenBLAS's messages about wrong arguments.

#ifndef GRADER_LIBRARY_H
#define GRADER_LIBRARY_H

#include <stdbool.h>

#include "judge/trial.h"

// Adds OpenBLAS's message to the report, from any call, and names the argument in the headline
// if the report shows a call of the same function.
void explain_library(struct trial *trial);

// Returns true if OpenBLAS rejected its arguments in this call.
bool library_rejects(const struct trial *trial, const struct test_case *test);

#endif
