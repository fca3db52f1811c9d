// lengths.h - how many tokens each sequence of a cache has, drawn for the cases of 9.1, 9.2 and 9.5.

#ifndef GRADER_09_LENGTHS_H
#define GRADER_09_LENGTHS_H

#include "exercises/exercise.h"

// Lengths from least to most. Where the range allows it, no two consecutive sequences have the same.
void draw_lengths(struct test_case *test, struct lab_rng *rng, size_t least, size_t most);

// Lengths above 32 bits, and above the integers that a float holds exactly. A float, or 32 bits, change each
// of them to a number that is in another row of a ring of W rows if W is odd. The last length is too large
// for a double to hold exactly, and for a signed number of 64 bits.
void draw_far_lengths(struct test_case *test, struct lab_rng *rng, size_t W);

// Of every sequence, and of sequence b alone.
void set_lengths(struct test_case *test, size_t length);
void set_length(struct test_case *test, size_t b, size_t length);

// In all heads of sequence b of a cache (B, heads, rows, hs): the rows from `first` on.
void set_rows(struct test_case *test, const char *cache, size_t rows, size_t b,
              size_t first, float value);

// BEGIN HANDED OUT
// Are the weights (B, NH, room) of a student's call exactly 0 past each length?
bool zero_behind(const struct test_case *test, size_t room, char *why, size_t why_size);
// END HANDED OUT

#endif
