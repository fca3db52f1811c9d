// 01_views.h - shared by the files of 4.1.

#ifndef GRADER_04_01_VIEWS_H
#define GRADER_04_01_VIEWS_H

#include "exercises/exercise.h"

#include <string.h>

// Sizes 1 to 5, and the first axis at least 2, so that wrong orders differ.
void draw_sizes(struct test_case *test, struct lab_rng *rng, const char *name);

void row_major(size_t *stride, const size_t *size, size_t axes);
extern const struct case_spec view_of_cases[];

// The checks that every view function contains.
bool elements_of(size_t *count, const size_t *size, size_t axes);

extern const struct mistake view_of_mistakes[];
extern const struct mistake view_of_alternatives[];
void fill_row_major(struct test_case *test, struct lab_rng *rng);
extern const struct case_spec view_transpose_cases[];
extern const struct mistake view_transpose_mistakes[];
extern const struct mistake view_transpose_alternatives[];

// A view with given sizes and strides. NUMBERS (1, 2) is {1, 2}: a list with commas as
// one argument.
#define NUMBERS(...)                                                                     \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
#define SHARED_GIVEN_VIEW(name, sizes, strides)                                          \
    void name(struct test_case *test, struct lab_rng *rng)                               \
    {                                                                                    \
        static const size_t size[] = NUMBERS sizes, stride[] = NUMBERS strides;          \
        (void)rng;                                                                       \
        memcpy(case_size(test, "in.size"), size, sizeof size);                           \
        memcpy(case_size(test, "in.stride"), stride, sizeof stride);                     \
    }
#define GIVEN_VIEW(name, sizes, strides) static SHARED_GIVEN_VIEW(name, sizes, strides)

void given_vector(struct test_case *test, struct lab_rng *rng);
void given_matrix(struct test_case *test, struct lab_rng *rng);
void given_transposed(struct test_case *test, struct lab_rng *rng);
void given_square_transposed(struct test_case *test, struct lab_rng *rng);
void given_columns(struct test_case *test, struct lab_rng *rng);
void given_every_other(struct test_case *test, struct lab_rng *rng);
void given_repeated(struct test_case *test, struct lab_rng *rng);
void given_size_1(struct test_case *test, struct lab_rng *rng);
void given_heads(struct test_case *test, struct lab_rng *rng);
void given_heads_moved(struct test_case *test, struct lab_rng *rng);
void given_one_token_moved(struct test_case *test, struct lab_rng *rng);
void given_six(struct test_case *test, struct lab_rng *rng);
void given_a_size_of_0(struct test_case *test, struct lab_rng *rng);
void given_large(struct test_case *test, struct lab_rng *rng);
void given_large_transposed(struct test_case *test, struct lab_rng *rng);
void given_large_moved(struct test_case *test, struct lab_rng *rng);
void given_gap_in_the_middle(struct test_case *test, struct lab_rng *rng);
void given_six_in_order(struct test_case *test, struct lab_rng *rng);
void given_six_exchanged(struct test_case *test, struct lab_rng *rng);
extern const struct case_spec view_is_contiguous_cases[];
extern const struct mistake view_is_contiguous_mistakes[];
extern const struct mistake view_is_contiguous_alternatives[];
extern const struct case_spec view_as_cases[];
extern const struct mistake view_as_mistakes[];
extern const struct mistake view_as_alternatives[];

// The view reads N elements of M numbers, M >= N, so copying in memory order stays
// inside.
extern const struct case_spec view_contiguous_cases[];

extern const struct mistake view_contiguous_mistakes[];
extern const struct mistake view_contiguous_alternatives[];

#endif
