// shared.h - what 3.3 and 3.4 share.

#ifndef GRADER_03_SHARED_H
#define GRADER_03_SHARED_H

#include "exercises/exercise.h"

// As it was, to within rounding: a softmax over all keys, masked and divided again, is right,
// and its forbidden keys take part in the rounding. Other right ways keep to a quarter of the
// tolerance (judge/margins.h), and so must a change.
bool stays(float before, float after, float atol, float rtol);

// A softmax in place, in float, as lab 1 teaches it. A row of -INFINITY becomes NaN.
void softmax_in_place(float *row, size_t S);

// The right masked softmax of one row, every stride-th element of which counts.
void softmax_where(float *weights, const float *scores, const uint8_t *mask, size_t S,
                   size_t stride);

// One row of a wrong masked softmax: w (S) from scores (S) and mask (S).
typedef void row_rule(float *w, const float *scores, const uint8_t *mask, size_t S);

// Rows of 3.3 that 3.4 is made of, too (03a_masked_softmax_mistakes.c).
extern row_rule softmax_mask_after_row, softmax_renormalised_row,
    softmax_renormalised_in_double_row, softmax_minus_1e9_row;

#endif
