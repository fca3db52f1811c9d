// accident.h - explains why the worker did not return from every call.

#ifndef GRADER_ACCIDENT_H
#define GRADER_ACCIDENT_H

#include "judge/trial.h"

// Sets verdict and headline.
void explain_accident(struct trial *trial);

// Adds what is known about a program that does not reach its first call.
void explain_start(struct trial *trial);

#endif
