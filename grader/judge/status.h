// status.h - explains a call that returned a wrong status.

#ifndef GRADER_STATUS_H
#define GRADER_STATUS_H

#include "judge/trial.h"

// "returns LAB_OK (0) instead of LAB_ESHAPE". The caller frees it.
char *status_headline(const struct test_case *test);

// Says that the function must refuse this call, with the header's sentence.
void show_refusal_due(const struct trial *trial, const struct test_case *test);

// Shows the call's inputs and what the header says about the status that was due, or that was
// returned although nothing is wrong with the call.
void show_status(const struct trial *trial, const struct test_case *test);

#endif
