// blocks.h - what a bank keeps of long outputs.

#ifndef GRADER_BLOCKS_H
#define GRADER_BLOCKS_H

#include "cases/case.h"

// A block's weighted sum and what it may be off by: numbers that change places change it. Where
// nothing may differ, it is a hash instead, of 52 bits. blocks.c
struct block_sum {
    double sum, tolerance;
};
struct block_sum bank_sum(const struct tensor *tensor, const float *values, size_t block);

// How many numbers are kept of a mistake's output, and which. blocks.c
size_t bank_kept(size_t count);
size_t bank_kept_place(size_t count, size_t i);

#endif
