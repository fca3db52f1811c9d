// measure.h - measures a gradient by central differences.

#ifndef LAB_GRADCHECK_MEASURE_H
#define LAB_GRADCHECK_MEASURE_H

#include "common/gradcheck.h"

// Writes the measured slope of every element of a gradient to measured(g->n). Leaves g->value as it
// was, and the intermediate results of the forward pass as those of another input.
LAB_CHECKED lab_status measure(double *measured, const struct gradcheck *check,
                               struct gradcheck_call *c, const struct gradient *g);

// Writes to differs(g->n) which elements are not what was measured. Returns how many.
size_t compare(bool *differs, const double *measured, const struct gradient *g,
               double loss);

// What an added gradient contains before the backward function adds to it.
float before(const struct gradient *g, size_t i);

// Element i of the student's gradient, without what was there before.
double got(const struct gradient *g, size_t i);

#endif
