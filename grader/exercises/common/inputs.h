// inputs.h - what labs do to the inputs of a case, beyond the unit normals that are drawn.

#ifndef GRADER_COMMON_INPUTS_H
#define GRADER_COMMON_INPUTS_H

#include "exercises/exercise.h"

// Every number of an input times by; plus by.
void scale_input(struct test_case *test, const char *input, float by);
void shift_input(struct test_case *test, const char *input, float by);

// Whole numbers but 0, for cases to check by hand: 1, -2, 3 ...
void make_whole(struct test_case *test, const char *input);

// -2, -1, 1 or 2, for large sizes: every sum is exact in whatever order it is formed, so that
// a wrong one is told from its numbers there as well.
void make_small(struct test_case *test, const char *input);

// Every number rounded to a quarter: few different ones, which the student archive compresses well.
// For large cases that only count or move numbers.
void coarse_input(struct test_case *test, const char *input);

// Whole numbers times 2^-20 have sums near 1e-12, as exact as before.
#define TINY 0x1p-20f
#define TINY_NOTE "numbers near 1e-6"

// Scores: base and a whole number more or less, for at 1e7 floats are exactly those.
void whole_steps_from(struct test_case *test, float base);

// Scores: whole numbers from -12 to 0. The smallest share is e^-12 = 6e-6, and right to its own
// five digits. A fill.
void small_shares(struct test_case *test, struct lab_rng *rng);

// Fills for a product, of a and b, and for a linear layer, of x, w and bias.
void whole_factors(struct test_case *test, struct lab_rng *rng);
void small_factors(struct test_case *test, struct lab_rng *rng);
void tiny_factors(struct test_case *test, struct lab_rng *rng);
void whole_layer(struct test_case *test, struct lab_rng *rng);
void small_layer(struct test_case *test, struct lab_rng *rng);
void tiny_layer(struct test_case *test, struct lab_rng *rng);

// Fills for scores: beyond any int, of both signs, one of each row positive; and equal in each row.
void huge_scores(struct test_case *test, struct lab_rng *rng);
void equal_scores(struct test_case *test, struct lab_rng *rng);

#endif
