// shared.h - shared by 3.3 and 3.4.

#ifndef GRADER_03_SHARED_H
#define GRADER_03_SHARED_H

#include "exercises/exercise.h"

// Unchanged to within rounding. A softmax over all keys, masked and renormalized, is
// right, but its forbidden keys affect the rounding. Other right solutions stay within a
// quarter of the tolerance (grade/margins.h), and so must a change.
bool stays(float before, float after, float atol, float rtol);

// A softmax in place, in float, as lab 1 teaches it. A row of -INFINITY becomes NaN.
void softmax_in_place(float *row, size_t S);

// The right masked softmax of one row, whose elements are stride apart.
void softmax_where(float *weights, const float *scores, const uint8_t *mask, size_t S,
                   size_t stride);

// One row of a wrong masked softmax: w (S) from scores (S) and mask (S).
typedef void row_rule(float *w, const float *scores, const uint8_t *mask, size_t S);

// Rows of 3.3 that 3.4 also uses (03a_masked_softmax_rows.c).
extern row_rule softmax_mask_after_row, softmax_renormalized_row,
    softmax_renormalized_in_double_row, softmax_minus_1e9_row, softmax_minus_10000_row,
    softmax_added_1e9_row, softmax_half_warp_row, softmax_without_max_row,
    softmax_without_max_nan_row, softmax_without_max_allowed_row;

#define NO_MAX_WHY                                                                       \
    "expf overflows above 88.7, and exp above 709: the row becomes inf/inf = NaN. Far "  \
    "below zero they give 0, and the row becomes 0/0. Subtract the row's largest "       \
    "allowed score."

#endif
