// maps.h - attention weights as inputs of 11.6 and 11.7.

#ifndef GRADER_11_MAPS_H
#define GRADER_11_MAPS_H

#include "exercises/exercise.h"

// Rows of weights that sum to 1: the softmax of normal numbers; the same, where no token sees a
// later one; a single 1 in each row; all equal; one of nearly 1 and many of 9e-7; numbers with
// zeros between them. Fills for an input "weights" with rows of T numbers.
void fill_weights(struct test_case *test, struct lab_rng *rng);
void fill_causal(struct test_case *test, struct lab_rng *rng);
void fill_one_key(struct test_case *test, struct lab_rng *rng);
void fill_alike(struct test_case *test, struct lab_rng *rng);
void fill_tiny(struct test_case *test, struct lab_rng *rng);
void fill_gaps(struct test_case *test, struct lab_rng *rng);

#endif
