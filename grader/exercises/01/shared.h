// shared.h - shared by the exercises of lab 1: products of matrices in any layout,
// softmaxes.

#ifndef GRADER_01_SHARED_H
#define GRADER_01_SHARED_H

#include "exercises/exercise.h"

void scale(float *x, size_t count, float factor);

// Keeps six decimals and cuts off the rest.
lab_status round_to_places(float *out, lab_status status, size_t rows, size_t columns);

#define ROUNDED_WHAT                                                                     \
    "the results are cut off after some decimal places, or small ones are set to 0"
#define ROUNDED_WHY                                                                      \
    "A float has seven digits for numbers of any size, and 1e-12 is as good a "          \
    "number as 1. Don't round the results; rounding is for printing."

// ---- products ----------------------------------------------------------------------------

// A matrix in memory, and the distances between its elements. Most mistakes of this lab
// are a right product of matrices that are read with the wrong layout.
struct matrix {
    const float *data;
    size_t row, column; // steps from one row, one column, to the next
};

// Stored row after row, as this lab does it: element (r, c) is data[r * width + c].
struct matrix by_rows(const float *data, size_t width);

// Stored column after column: element (r, c) is data[c * height + r].
struct matrix by_columns(const float *data, size_t height);

// out(M,N) = factor * a(M,K) b(K,N)
lab_status product(float *out, struct matrix a, struct matrix b, size_t M, size_t N,
                   size_t K, double factor);

// The same with a slip in the sum: it starts at term 1, it is an int, or each term replaces it.
enum sum_fault { FROM_TERM_1, WHOLE_SUM, LAST_TERM };
lab_status faulty_product(float *out, struct matrix a, struct matrix b, size_t M,
                          size_t N, size_t K, double factor, enum sum_fault fault);

// Ways to make out(M,N) = a(M,K) b(K,N), for the rows of a table of mistakes.
typedef lab_status product_function(float *out, struct matrix a, struct matrix b,
                                    size_t M, size_t N, size_t K);
product_function plain_product;
product_function product_from_1;
product_function product_of_whole_sums;
product_function product_of_last_terms;
product_function rounded_product;    // to six places
product_function transposed_product; // right, and stored as (N,M)

// Sums in float, last term first, as another right program might.
product_function float_product;

#define FROM_1_WHAT "the first term of every sum is left out"
#define FROM_1_WHY(loop)                                                                 \
    "Indices in C start at 0, so the loop over the terms starts at 0: " loop "."
#define WHOLE_SUM_WHAT "the sums are kept in integers"
#define WHOLE_SUM_WHY                                                                    \
    "An int drops the fraction at every addition. Declare the sum as a float or "        \
    "a double."

#define LAST_TERM_WHAT "only the last term of every sum is kept"
#define LAST_TERM_WHY(line)                                                              \
    "= replaces the sum with the newest term; += adds the term to it: " line "."

// Adds to an output that was never set to 0, and so to the poison.
lab_status unset(float *out, size_t rows, size_t columns, size_t depth);

#define UNSET_WHAT "the output is added to before it is set"
#define UNSET_WHY                                                                        \
    "The caller's buffer can contain anything (here: NaN). Sum into a local "            \
    "variable that starts at 0 and assign it, or set the output to 0 first."

// The loops in the order k, m, n: one column of a times one row of b at a time.
lab_status matmul_by_outer_products(float *out, const float *a, const float *b, size_t M,
                                    size_t N, size_t K);

// ---- softmax, for 1.4 and 1.6 ------------------------------------------------------------

bool single_keys_take_all(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size);

float maximum(const float *x, size_t count, float start);
void zero_row(float *weights_t, size_t S);
bool is_empty(const float *scores_t, size_t S);
lab_status softmax_columns(float *weights, const float *scores, size_t T, size_t S);

// Powers of two, sums in float, and one reciprocal instead of S divisions.
lab_status softmax_by_exp2(float *weights, const float *scores, size_t T, size_t S);

#endif
