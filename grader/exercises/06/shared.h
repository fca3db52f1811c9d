// shared.h - shared by the exercises of lab 6: tokens, products by hand, softmax
// backward.

#ifndef GRADER_06_SHARED_H
#define GRADER_06_SHARED_H

#include "exercises/common/inputs.h"
#include "exercises/common/own.h"
#include "exercises/exercise.h"

// Tokens below V; the last one equals the first, so that a token occurs twice.
void draw_tokens(struct test_case *test, struct lab_rng *rng, const char *name);

// The last tokens of the vocabulary: V - 1, V - 2 and so on. Where V is 65540, 16 bits do not hold the first
// four.
#define WIDE_NOTE "tokens from 65536 on"
#define BITS_16_WHAT "tokens are kept in 16 bits: from 65536 on they are wrong"
#define BITS_16_WHY                                                                      \
    "A token is any number below V, and V may be larger than 65536. Keep tokens in a size_t."
void last_tokens(struct test_case *test, const char *name);
// The last token, the one before, and so on, again and again from the last of at most 7.
void repeat_tokens(struct test_case *test, const char *name);

void last_token_too_large(struct test_case *test, const char *name);
void first_token_too_large(struct test_case *test, const char *name);
void middle_token_far_too_large(struct test_case *test, const char *name); // V + 1000

// Copies N tokens, with 0 in place of those that are not below V. The caller frees the copy.
size_t *tokens_made_valid(const size_t *tokens, size_t N, size_t V);

// Spreads the C numbers of every row whose standard deviation is below `least`. The layer
// norm of a row of nearly equal numbers magnifies earlier rounding, so two right answers
// might differ.
void spread_rows(float *x, size_t N, size_t C, float least);

// y(M,N) = a(M,K) b(K,N), where element (m,k) of a is a[m * a_m + k * a_k] and so on. Used
// for every product in the mistakes.
void product(float *y, const float *a, size_t a_m, size_t a_k, const float *b, size_t b_k,
             size_t b_n, size_t M, size_t K, size_t N);

void multiply(float *x, float by, size_t n);

void fill_bad_tokens(struct test_case *test, struct lab_rng *rng);
void fill_bad_first_token(struct test_case *test, struct lab_rng *rng);
void fill_bad_middle_token(struct test_case *test, struct lab_rng *rng);
void fill_bad_target(struct test_case *test, struct lab_rng *rng);
void fill_bad_first_target(struct test_case *test, struct lab_rng *rng);
void fill_bad_middle_target(struct test_case *test, struct lab_rng *rng);

// Replaces each row by the softmax of normals, like probabilities from a forward pass.
void softmax_of(struct test_case *test, const char *name, size_t S);

// SOFTMAX(name, value): dscores is an expression in w and dw of this element, dot (the sum
// of their products over the row), last (the last of these products), sum (of dw alone) and
// all_before (the dots of earlier rows).
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
            const float last = weights[n * S + S - 1] * dweights[n * S + S - 1];         \
            for (size_t s = 0; s < S; s++) {                                             \
                const float w = weights[n * S + s], dw = dweights[n * S + s];            \
                (void)w;                                                                 \
                dscores[n * S + s] = value;                                              \
            }                                                                            \
            all_before += dot;                                                           \
            (void)sum, (void)last;                                                       \
        }                                                                                \
        (void)all_before;                                                                \
        return LAB_OK;                                                                   \
    }
#define SOFTMAX(name, value) static SHARED_SOFTMAX(name, value)

lab_status softmax_diagonal(float *dscores, const float *dweights, const float *weights,
                            size_t N, size_t S);

lab_status softmax_opened(float *dscores, const float *dweights, const float *weights,
                          size_t N, size_t S);

// The result on a GPU if the lanes of a warp do not share their sums: lane l sees only the
// elements l, l + 32, ...
enum { LANES = 32 };

void set_adam(struct test_case *test, float lr, float weight_decay);

#endif
