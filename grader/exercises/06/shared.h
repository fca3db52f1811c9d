// shared.h - shared by the exercises of lab 6: tokens, products by hand, softmax
// backward.

#ifndef GRADER_06_SHARED_H
#define GRADER_06_SHARED_H

#include "exercises/exercise.h"

// The reference refuses a case that it should take: a fault of these files.
void must(lab_status status);

void set_all(struct test_case *test, const char *name, float value);

// Tokens below V, the first one again at the end: a token that is there twice.
void draw_tokens(struct test_case *test, struct lab_rng *rng, const char *name);

void last_token_too_large(struct test_case *test, const char *name);
void first_token_too_large(struct test_case *test, const char *name);
void middle_token_far_too_large(struct test_case *test, const char *name); // V + 1000

// Pulls the C numbers of every row apart where their standard deviation is below `least`. The
// layer norm of a row of nearly equal numbers magnifies the rounding of whatever made them, and
// then two right answers differ.
void spread_rows(float *x, size_t N, size_t C, float least);

// y(M,N) = a(M,K) b(K,N), element (m,k) of a being a[m * a_m + k * a_k] and so on: every product
// of the mistakes, right or wrong.
void product(float *y, const float *a, size_t a_m, size_t a_k, const float *b, size_t b_k,
             size_t b_n, size_t M, size_t K, size_t N);

void multiply(float *x, float by, size_t n);

// n floats of the judge's own memory, for the mistakes; freed by the caller.
float *borrow(size_t n);

void fill_bad_tokens(struct test_case *test, struct lab_rng *rng);
void fill_bad_first_token(struct test_case *test, struct lab_rng *rng);
void fill_bad_middle_token(struct test_case *test, struct lab_rng *rng);
void fill_bad_target(struct test_case *test, struct lab_rng *rng);
void fill_bad_first_target(struct test_case *test, struct lab_rng *rng);
void fill_bad_middle_target(struct test_case *test, struct lab_rng *rng);

// Each row becomes the softmax of normals: probabilities as forward would leave them.
void softmax_of(struct test_case *test, const char *name, size_t S);

// SOFTMAX(name, value): dscores is an expression of w and dw of this place, of dot (the sum of
// their products over the row), and of sum (of dw alone), all_before (dots of earlier rows).
#define SHARED_SOFTMAX(name, value)                                                      \
    lab_status name(float *dscores, const float *dweights, const float *weights,         \
                    size_t N, size_t S)                                                  \
    {                                                                                    \
        if (N == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        float all_before = 0.0f;                                                         \
        for (size_t n = 0; n < N; n++) {                                                 \
            float dot = 0.0f, sum = 0.0f;                                                \
            for (size_t s = 0; s < S; s++) {                                             \
                dot += weights[n * S + s] * dweights[n * S + s];                         \
                sum += dweights[n * S + s];                                              \
            }                                                                            \
            for (size_t s = 0; s < S; s++) {                                             \
                const float w = weights[n * S + s], dw = dweights[n * S + s];            \
                (void)w;                                                                 \
                dscores[n * S + s] = value;                                              \
            }                                                                            \
            all_before += dot;                                                           \
            (void)sum;                                                                   \
        }                                                                                \
        (void)all_before;                                                                \
        return LAB_OK;                                                                   \
    }
#define SOFTMAX(name, value) static SHARED_SOFTMAX(name, value)

lab_status softmax_diagonal(float *dscores, const float *dweights, const float *weights,
                            size_t N, size_t S);

lab_status softmax_opened(float *dscores, const float *dweights, const float *weights,
                          size_t N, size_t S);

// On a GPU: what the lanes of a warp do when they do not share their sums. Lane l has seen the
// places l, l + 32, ...
enum { LANES = 32 };

void set_adam(struct test_case *test, float lr, float weight_decay);

#endif
