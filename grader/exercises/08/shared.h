// shared.h - shared by the exercises of lab 8.

#ifndef GRADER_08_SHARED_H
#define GRADER_08_SHARED_H

#include "exercises/exercise.h"

enum { BYTES = 256 }; // how many there are

// The reference refuses a case that it should take: a fault of these files.
void must(lab_status status);

// n floats of the judge's own memory, 0; freed by the caller.
float *borrow(size_t n);

void set_all(struct test_case *test, const char *name, float value);

// Rows whose mean square is below least^2 are scaled up to that. 1 / rms of a row of few small
// numbers is large, and so is then the rounding of its gradient.
void enlarge_rows(float *x, size_t N, size_t C, float least);

// Tokens below V, drawn.
void draw_tokens(size_t *tokens, size_t count, size_t V, struct lab_rng *rng);

// A number in [0, 1).
double uniform(struct lab_rng *rng);

// On a GPU: lane l of a warp has seen the places l, l + 32, ..., where the lanes do not share
// what they know.
enum { LANES = 32 };

#endif
