// blocks.h - the summary of long outputs in a bank.

#ifndef GRADER_BLOCKS_H
#define GRADER_BLOCKS_H

#include "cases/case.h"

// A block's weighted sum, which changes if two numbers are swapped, and its tolerance. If
// no difference is allowed, it is a 32-bit hash instead.
struct block_sum {
    double sum, tolerance;
};
struct block_sum bank_sum(const struct tensor *tensor, const float *values, size_t block);

// x with only the digits that matter to a comparison with this tolerance: it moves by at most a
// 32nd of it. The rest of its bits are zeros, which compress well. A tolerance of 0 changes nothing.
double bank_brief(double x, double tolerance);

// How many numbers of a mistake's output are stored, and which.
size_t bank_kept(size_t count);
size_t bank_kept_place(size_t count, size_t i);

#endif
