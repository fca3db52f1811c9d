// run.h - runs the value of a prediction with the student's code, in a process of its own.

#ifndef LAB_ASK_RUN_H
#define LAB_ASK_RUN_H

#include <stdbool.h>
#include <stddef.h>

enum { RUN_SECONDS = 20 };

// Runs "program name" and reads the line "@ name value" that it prints. Returns false without a
// value, and says why in why(size): the code is not written yet, crashed, or takes too long.
bool run_prediction(double *value, char *why, size_t size, const char *program,
                    const char *name);

#endif
