// printed.h - what the student's code printed.

#ifndef GRADER_PRINTED_H
#define GRADER_PRINTED_H

#include "judge/trial.h"

// The worker prints "\036k\n" at the start of call k, and "\036k+c\n" at the start of its
// repeat on contents c. Keeps only the output of the call that the report shows, or of the
// first call. If the program printed too much to keep (process.h), lines of this call and
// of later calls cannot be distinguished.
void keep_printed(struct trial *trial);

#endif
