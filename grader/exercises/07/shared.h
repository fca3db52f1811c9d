// shared.h - shared by the exercises of lab 7.

#ifndef GRADER_07_SHARED_H
#define GRADER_07_SHARED_H

#include "exercises/exercise.h"

// The frequency of pair i: base^-exponent radians per position.
double frequency(double base, double exponent);

#endif
