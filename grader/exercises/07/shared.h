// shared.h - shared by the exercises of lab 7.

#ifndef GRADER_07_SHARED_H
#define GRADER_07_SHARED_H

#include "exercises/exercise.h"

// How fast pair i turns: base^-exponent radians from one place to the next.
double frequency(double base, double exponent);

#endif
