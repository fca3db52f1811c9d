// inputs.h - changes the inputs of a case, which are drawn as unit normals.

#ifndef GRADER_COMMON_INPUTS_H
#define GRADER_COMMON_INPUTS_H

#include "exercises/exercise.h"

// Multiplies every number of an input by `by`; adds `by` to it.
void scale_input(struct test_case *test, const char *input, float by);
void shift_input(struct test_case *test, const char *input, float by);

void set_all(struct test_case *test, const char *input, float value);
// Rows of that width that repeat every 11 rows, and so take no room in the student archive: the numbers
// are step times from, from + 1 ... from + 10, in an order that turn (1 to 10) chooses.
void repeat_rows(struct test_case *test, const char *input, size_t width, size_t turn,
                 float from, float step);
// The same for numbers from -5 to 5, and rows of width 1.
void repeat_numbers(struct test_case *test, const char *input, size_t turn);
// A call of a size that 16 bits do not hold. The fill sets every input to numbers that repeat, for the archive's sake.
// 65536 is no multiple of 11, so a row that is taken for another one shows.
#define MORE_THAN_16_BITS(sizes, how, said)                                              \
    .dims = (sizes), .fill = (how), .note = said, .all_set = true, .memory_only = true,  \
    .apart = true
// Numbers 0, step, 2 step ... become 0.
void clear_every(struct test_case *test, const char *input, size_t step);

// Whole numbers except 0, for cases to check by hand: 1, -2, 3 ...
void make_whole(struct test_case *test, const char *input);

// Whole numbers times 2^-50: products near 1e-30 with exact sums. A result that is set to 0 because it
// is small must show.
#define TINY 0x1p-50f
#define TINY_NOTE "numbers near 1e-15"
#define TINY_RESULTS_NOTE "results near 1e-30, but not 0"

// The same for large results, which code that limits them must show.
#define LARGE 0x1p20f
#define LARGE_NOTE "numbers near 1e6"

// Rows of that width: 1, 2, 3, 1 ... times 2^-100, 2^-60, 2^-30, 2^30, 2^60, 2^100 in turn. Code that takes small
// numbers for 0, or limits large ones, must show.
void rows_of_every_size(struct test_case *test, const char *input, size_t width);
#define EVERY_SIZE_NOTE "numbers from 1e-30 to 1e30"
#define EVERY_SIZE_UNIT 1e-30f

// Rows of that width: positive numbers times 2^-60 and 2^60 in turn, the same in a column. A mean of rows is of the same
// sizes and loses nothing to cancellation. Use it with equal weights.
void columns_of_two_sizes(struct test_case *test, const char *input, size_t width);
#define TWO_SIZES_NOTE "values near 1e-18 and 1e18"
#define TWO_SIZES_UNIT 1e-18f

// Scores: base plus or minus a whole number, because near 1e7 floats are whole numbers.
void whole_steps_from(struct test_case *test, float base);

// Scores: whole numbers from -12 to 0. The smallest weight is about e^-12 = 6e-6, which
// must be right to five digits. A fill.
void small_shares(struct test_case *test, struct lab_rng *rng);

// Scores 0 and, in every second place, 20 or 80 lower: weights that are small, but not 0. Fills for scores
// (..., S), and for the scores of heads of width 4 from q, k and v, which are not masked. The channels of v
// are 1, 2^-30, 2^-100 and 2^60: a result that is taken for 0, or limited, must show.
#define BELOW_20_NOTE "some scores are 20 below the largest: small weights, but not 0"
#define BELOW_80_NOTE "some scores are 80 below the largest: small weights, but not 0"
#define BELOW_20_UNIT                                                                    \
    1e-7f // the smallest weight is near 1e-9, and must be right to three digits
#define BELOW_80_UNIT 1e-33f // the smallest weight is near 1e-35
void scores_20_below(struct test_case *test, struct lab_rng *rng);
void scores_80_below(struct test_case *test, struct lab_rng *rng);
enum { BELOW_WIDTH = 4 };
void heads_below(struct test_case *test, const char *q, const char *k, const char *v,
                 float below);

// The same for attention of tokens x of width 4, projected by w_q, w_k and w_v. The channels of the values are
// 2, 0, 2^-29 and 2^41.
void tokens_20_below(struct test_case *test, struct lab_rng *rng);

// Fills for the a and b of a product, and for the x, w and bias of a linear layer.
void whole_factors(struct test_case *test, struct lab_rng *rng);
// -2, -1, 1 or 2 (case_small), for large sizes: every sum is exact in any order, so that mistakes
// can be recognized there, too.
void small_factors(struct test_case *test, struct lab_rng *rng);
void tiny_factors(struct test_case *test, struct lab_rng *rng);
void large_factors(struct test_case *test, struct lab_rng *rng);
void whole_layer(struct test_case *test, struct lab_rng *rng);
void small_layer(struct test_case *test, struct lab_rng *rng);
void tiny_layer(struct test_case *test, struct lab_rng *rng);
void large_layer(struct test_case *test, struct lab_rng *rng);

// Fills for scores: beyond the range of int, of both signs, one positive per row; and all
// equal in each row.
void huge_scores(struct test_case *test, struct lab_rng *rng);
void equal_scores(struct test_case *test, struct lab_rng *rng);

// A fill for x (..., T, C), w_q and w_k (..., C), where C >= 2. The scores of the last token are below -2.5e30,
// which shows where a search for the largest starts. Those of the others are above 1.2e30, and keys 0 and 1
// have the same, the highest: a number that is added to a forbidden score is lost in rounding. A number in
// its place is low enough, and a mask after the softmax loses nothing. Token 2 has half the scores, for
// which the largest of all tokens is too large. In the second sequence and those after it, token 3 has scores of
// both signs, and the lowest is farther from 0 than the highest. All scores are exact.
void tokens_far_from_0(struct test_case *test, struct lab_rng *rng);
#define FAR_FROM_0_NOTE "scores above 1.2e30, and below -2.5e30"

// Weights w_q and w_k (C, I) for heads of width hs, so that each head has one score for all keys: -2^102 / sqrt(hs)
// in even heads, 2^102 / sqrt(hs) in odd ones. Channel 0 of the queries' inputs must be -1, channel 1 of the
// keys' 1. An attention that does not subtract the maximum, or searches for it from some number, fails.
void heads_far_from_0(float *w_q, float *w_k, size_t I, size_t C, size_t hs);
#define FAR_HEADS_NOTE "scores below -1e30 in even heads, above 1e30 in odd ones"

// Inputs (..., I), where I >= 3, and weights for heads of width 4. The score of every second key is 20 lower, and the
// values are 2^-30 in even heads, 2^30 in odd ones. In one head all are alike, because a mistake that takes them for
// scores must give the same in float and in double.
void tokens_of_every_size(struct test_case *test, const char *input, size_t I);
void heads_of_every_size(float *w_q, float *w_k, float *w_v, size_t I, size_t C);
void unit_matrix(float *w, size_t C);
#define HEADS_OF_EVERY_SIZE_NOTE                                                         \
    "values near 1e-9 and 1e9; every second score is 20 lower"

// Sets a channel of every row (..., C) of an input.
void set_channel(struct test_case *test, const char *input, size_t C, size_t channel,
                 float value);

// -FLT_MAX, and one float more for one number of each row, which is larger by 2e31: a search for the maximum that
// starts anywhere above -FLT_MAX misses it, even from -3.402823e38.
#define LOWEST_NOTE "all scores below -3.402823e38, one of each row 2e31 larger"
void rows_far_below(struct test_case *test, const char *input, size_t width);
void lowest_scores(struct test_case *test, struct lab_rng *rng);

// Rows of that width, near 95 and near -9e8 in turn: where exp overflows a float, and not quite
// as low as the -1e9 that many use for -INFINITY.
#define LIMITS_NOTE "rows near 95 and -9e8"
void rows_at_limits(struct test_case *test, const char *input, size_t width);
void scores_at_limits(struct test_case *test, struct lab_rng *rng);

// Quarters: case_coarse. A fill.
void coarse_scores(struct test_case *test, struct lab_rng *rng);

// In each row of S scores, one is 2000 above the rest: the first, the last, the middle one, then
// one that belongs to a different thread and warp in each row. If the maximum misses that score,
// exp overflows, even in double. Fills; the second is coarse, too.
void one_far_above(struct test_case *test, struct lab_rng *rng);
void one_far_above_coarse(struct test_case *test, struct lab_rng *rng);

// Half as large again. A fill for many keys: the weights are so small that the rounding of a long sum in
// float stays far below the tolerance, and no key is so large that the sum loses the others.
void spread_scores(struct test_case *test, struct lab_rng *rng);

#endif
