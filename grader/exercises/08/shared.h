// shared.h - shared by the exercises of lab 8.

#ifndef GRADER_08_SHARED_H
#define GRADER_08_SHARED_H

#include "exercises/exercise.h"

enum { BYTES = 256 }; // how many there are

// The reference rejects a case that it should accept: a bug in these files.
void must(lab_status status);

// Allocates n floats, all 0, in the judge's memory; the caller frees them.
float *borrow(size_t n);

void set_all(struct test_case *test, const char *name, float value);

// Scales up rows whose mean square is below least^2 to that value. For a row of small numbers,
// 1 / rms is large and magnifies the rounding of the gradient.
void enlarge_rows(float *x, size_t N, size_t C, float least);

// Tokens below V, drawn.
void draw_tokens(size_t *tokens, size_t count, size_t V, struct lab_rng *rng);

// A number in [0, 1).
double uniform(struct lab_rng *rng);

// The result on a GPU if the lanes of a warp do not share their sums: lane l sees only the
// elements l, l + 32, ...
enum { LANES = 32 };

#endif
