// shared.h - shared by the exercises of lab 2: products by hand, softmaxes.

#ifndef GRADER_02_SHARED_H
#define GRADER_02_SHARED_H

#include "exercises/exercise.h"

// ---- products, wrong and right -----------------------------------------------------------

// The layout of a batch of matrices: the distance from one matrix, row, column to the
// next. A row-major (B, M, N) tensor is {M * N, N, 1}; its transpose {M * N, 1, N}; the
// same first matrix for every b is {0, N, 1}.
struct layout {
    size_t matrix, row, column;
};

void multiply(float *out, struct layout lo, const float *a, struct layout la,
              const float *b, struct layout lb, size_t B, size_t M, size_t N, size_t K);

// ---- changing one sequence does not change the others ------------------------------------

void change_middle(struct test_case *second, const char *input);

bool others_unchanged(const struct test_case *first, const struct test_case *second,
                      const char *output, char *why, size_t why_size);

// ---- softmax, for 2.4 and 2.5 ------------------------------------------------------------

// Softmax of count numbers that are stride apart. If all are -INFINITY: zeros.
void softmax_along(float *out, const float *in, size_t count, size_t stride);

bool no_size(size_t B, size_t T, size_t S);

lab_status softmax_over_batch(float *weights, const float *scores, size_t B, size_t T,
                              size_t S);

lab_status softmax_over_queries(float *weights, const float *scores, size_t B, size_t T,
                                size_t S);

lab_status softmax_over_map(float *weights, const float *scores, size_t B, size_t T,
                            size_t S);

lab_status softmax_over_all(float *weights, const float *scores, size_t B, size_t T,
                            size_t S);

// The number subtracted before exp, and the result for a sum of 0.
enum shift {
    ROW_MAX,
    NOTHING,
    MAX_FROM_ZERO,
    MAX_FROM_MINUS_10000,
    MAX_FROM_MINUS_1E9,
    MAX_IN_INT
};
enum empty { DIVIDE_ANYWAY, ZEROS };

lab_status softmax_shifted(float *weights, const float *scores, size_t rows, size_t S,
                           enum shift shift, enum empty empty);

lab_status softmax_no_max(float *weights, const float *scores, size_t B, size_t T,
                          size_t S);

lab_status softmax_no_max_no_guard(float *weights, const float *scores, size_t B,
                                   size_t T, size_t S);

bool single_keys_take_all(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size);

#endif
