// 01_online_softmax.c - exercise 10.1, a softmax in parts: cases and hints. 01a_ and 01b_ have the known
// mistakes.

#include "exercises/exercise.h"
#include "exercises/10/01_online_softmax.h"
#include "exercises/10/diagonal.h"
#include "exercises/10/row.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"
#include "common/rng.h"

// ---- partial_attention --------------------------------------------------------------------

// The diagonals of one query of M that sees all, a few or none of N keys.
static ptrdiff_t keys_of(const struct test_case *test)
{
    return (ptrdiff_t)case_dim(test, "N");
}

static void fill_all_seen(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, keys_of(test));
}

static void fill_largest_diagonal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, PTRDIFF_MAX);
}

static void fill_smallest_diagonal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, PTRDIFF_MIN);
}

// Even the first query sees the last key.
static void fill_just_all(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, keys_of(test) - 1);
}

// Only the first query does not see the last key.
static void fill_all_but_one(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, keys_of(test) - 2);
}

static void fill_diagonal_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, 0);
}

static void fill_diagonal_1(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, 1);
}

// The first query sees no key, the second sees key 0.
static void fill_below_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, -1);
}

static void fill_half_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, -(ptrdiff_t)(case_dim(test, "M") / 2));
}

// Only the last query sees a key, key 0.
static void fill_one_pair(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, 1 - (ptrdiff_t)case_dim(test, "M"));
}

static void fill_none_seen(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_diagonal(test, -(ptrdiff_t)case_dim(test, "M"));
}

// The first key's value is 0, so that the result is what the other keys add, each with a weight of 2e-9.
static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    fill_all_seen(test, rng);
    set_all(test, "q", 1.0f);
    for (size_t c = 0; c < case_count(test, "k"); c++) {
        case_f32(test, "k")[c] = c == 0 ? 5.0f : -15.0f;
        case_f32(test, "v")[c] = (float)c;
    }
}

static void fill_equal_two_sizes(struct test_case *test, struct lab_rng *rng)
{
    fill_all_seen(test, rng);
    set_all(test, "q", 0.0f);
    columns_of_two_sizes(test, "v", case_dim(test, "hs"));
}

static void fill_any_diagonal(struct test_case *test, struct lab_rng *rng)
{
    set_diagonal(test, lab_rng_int(rng, 1 - (int64_t)case_dim(test, "M"),
                                   (int64_t)case_dim(test, "N") - 1));
}

// The rows of k and v that no query sees.
static void set_unseen(struct test_case *test, float value)
{
    const size_t N = case_dim(test, "N"), hs = case_dim(test, "hs");
    const size_t seen = keys_seen(case_dim(test, "M") - 1, N, get_diagonal(test));
    float *k = case_f32(test, "k"), *v = case_f32(test, "v");
    for (size_t i = seen * hs; i < N * hs; i++) {
        k[i] = v[i] = value;
    }
}

static void fill_nan_unseen(struct test_case *test, struct lab_rng *rng)
{
    fill_half_empty(test, rng);
    set_unseen(test, NAN);
}

static void fill_all_nan(struct test_case *test, struct lab_rng *rng)
{
    fill_none_seen(test, rng);
    set_unseen(test, NAN);
}

static void fill_infinity_unseen(struct test_case *test, struct lab_rng *rng)
{
    fill_half_empty(test, rng);
    set_unseen(test, INFINITY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_any_diagonal(test, rng);
    scale_input(test, "q", 5.0f);
}

// The rounding of many terms adds up. A smaller v keeps it well below the tolerance.
static void fill_many_keys(struct test_case *test, struct lab_rng *rng)
{
    fill_any_diagonal(test, rng);
    scale_input(test, "v", 0.25f);
}

// For wide heads: even scores that are wrongly multiplied stay small enough for a float.
static void fill_quiet(struct test_case *test, struct lab_rng *rng)
{
    fill_any_diagonal(test, rng);
    scale_input(test, "q", 0.1f);
}

// The same where every query sees every key. All keys get nearly the same weight, so the rounding of
// all terms adds up, in a sum of v that may be near 0: a smaller v keeps it well below the tolerance.
static void fill_quiet_all(struct test_case *test, struct lab_rng *rng)
{
    fill_all_seen(test, rng);
    scale_input(test, "q", 0.03f);
    scale_input(test, "v", 0.25f);
}

enum { EXACT_WIDTH = 16, EXACT_KINDS = 4 };

// Exact scores: with hs = 16 the scale is 1/4, and a query selects one channel of the keys. With N = 16
// and 64, most wrong scales are exact, too. In channel 0 the scores are near 10000, equal or 64 apart,
// and every fifth query negates them. In the others, the first, the last or a middle key is more than
// 100 ahead of the rest.
static void fill_exact(struct test_case *test, struct lab_rng *rng)
{
    const size_t N = case_dim(test, "N");
    float *q = case_f32(test, "q"), *k = case_f32(test, "k");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t r = 0; r < case_dim(test, "M"); r++) {
        const size_t kind = r % (EXACT_KINDS + 1);
        q[r * EXACT_WIDTH + kind % EXACT_KINDS] = kind == EXACT_KINDS ? -4.0f : 4.0f;
    }
    for (size_t c = 0; c < N; c++) {
        const size_t ahead[EXACT_KINDS] = {N, 0, N - 1, N / 2};
        k[c * EXACT_WIDTH] = 1e4f + 64.0f * (float)lab_rng_int(rng, 0, 4);
        for (size_t i = 1; i < EXACT_KINDS; i++) {
            k[c * EXACT_WIDTH + i] =
                (float)lab_rng_int(rng, -3, 4) + (c == ahead[i] ? 107.0f : 0.0f);
        }
    }
    fill_all_but_one(test, rng);
}

// The same ten thousand times as far from 0: where many put an end to the search for the largest score.
static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    fill_exact(test, rng);
    float *k = case_f32(test, "k");
    for (size_t c = 0; c < case_dim(test, "N"); c++) {
        k[c * EXACT_WIDTH] += 1e7f - 1e4f;
    }
}

// Every score is far below 0, and no query sees all keys.
static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    fill_far(test, rng);
    float *q = case_f32(test, "q");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t r = 0; r < case_dim(test, "M"); r++) {
        q[r * EXACT_WIDTH] = -4.0f;
    }
    fill_half_empty(test, rng);
}

static void fill_equal(struct test_case *test, struct lab_rng *rng)
{
    fill_any_diagonal(test, rng);
    set_all(test, "q", 0.0f);
}

// One key above many others: by 11 for query 0 and by 1.4 more for each later query. Each of the others
// gets almost no weight, but together they get a visible share.
static void fill_small_terms(struct test_case *test, struct lab_rng *rng)
{
    const size_t N = case_dim(test, "N");
    float *k = case_f32(test, "k");
    fill_all_seen(test, rng);
    for (size_t r = 0; r < case_dim(test, "M"); r++) {
        case_f32(test, "q")[r] = 1.0f + 0.125f * (float)r;
    }
    for (size_t c = 0; c < N; c++) {
        k[c] = c == N / 2 ? 0.0f : 0.125f * k[c] - 11.0f;
    }
}

// Every score is the same and below most numbers that a search for the largest starts with.
static void fill_far_down(struct test_case *test, struct lab_rng *rng)
{
    fill_all_seen(test, rng);
    set_all(test, "q", 1.0f);
    set_all(test, "k", -2e30f);
}

static void fill_scores_far_up(struct test_case *test, struct lab_rng *rng)
{
    fill_far_down(test, rng);
    set_all(test, "k", 2e30f);
}

// Every score is 0, and every number is whole, so all sums are exact in any order.
static void fill_whole(struct test_case *test)
{
    set_all(test, "q", 0.0f);
    case_coarse(test, "k");
    case_small(test, "v");
}

static void fill_many_alike(struct test_case *test, struct lab_rng *rng)
{
    fill_all_seen(test, rng);
    fill_whole(test);
}

static void fill_none_of_whole(struct test_case *test, struct lab_rng *rng)
{
    fill_none_seen(test, rng);
    fill_whole(test);
}

#define EXACT_NOTE "scores near 10000 and -10000, or one key ahead of the others by 100"

static const struct case_spec partial_cases[] = {
    {.dims = "M=1 N=1 hs=1", .fill = fill_all_seen, .note = "one key"},
    {.dims = "M=1 N=3 hs=2", .fill = fill_all_seen, .note = "one query"},
    {.dims = "M=2 N=3 hs=4", .fill = fill_all_seen, .note = "every query sees every key"},
    {.dims = "M=3 N=2 hs=1",
     .fill = fill_just_all,
     .note = "diagonal N - 1: every query sees every key"},
    {.dims = "M=2 N=3 hs=4",
     .fill = fill_all_but_one,
     .note = "diagonal N - 2: query 0 does not see the last key"},
    {.dims = "M=3 N=3 hs=2", .fill = fill_diagonal_0, .note = "diagonal 0"},
    {.dims = "M=3 N=5 hs=2", .fill = fill_diagonal_1, .note = "diagonal 1"},
    {.dims = "M=4 N=3 hs=5",
     .fill = fill_below_0,
     .note = "diagonal -1: query 0 sees no key"},
    {.dims = "M=5 N=4 hs=3",
     .fill = fill_half_empty,
     .note = "a negative diagonal: the first queries see no key"},
    {.dims = "M=4 N=5 hs=2",
     .fill = fill_one_pair,
     .note = "only the last query sees a key, key 0"},
    {.dims = "M=3 N=4 hs=2", .fill = fill_none_seen, .note = "no query sees a key"},
    {.dims = "M=4 N=7 hs=5", .draws = 3, .fill = fill_any_diagonal},
    {.dims = "M=7 N=4 hs=6", .draws = 3, .fill = fill_any_diagonal},
    {.dims = "M=2..5 N=6..9 hs=3..8", .draws = 3, .fill = fill_any_diagonal},
    {.dims = "M=6..9 N=2..5 hs=3..8", .draws = 3, .fill = fill_any_diagonal},
    {.dims = "M=3 N=3 hs=3", .fill = fill_any_diagonal, .note = "all sizes are 3"},
    {.dims = "M=1 N=3 hs=2",
     .fill = fill_none_seen,
     .note = "one query, which sees no key"},
    {.dims = "M=5 N=259 hs=1", .fill = fill_small_terms, .note = "many small terms"},
    {.dims = "M=3 N=4 hs=1", .fill = fill_far_down, .note = "every score is -2e30"},
    {.dims = "M=3 N=4 hs=1", .fill = fill_scores_far_up, .note = "every score is 2e30"},
    {.dims = "M=1 N=2053 hs=1",
     .fill = fill_many_alike,
     .note = "2053 keys with the same score: their exponentials sum to 2053"},
    {.dims = "M=2 N=3 hs=4",
     .fill = fill_none_of_whole,
     .unit = 1e-12f,
     .note = "no query sees a key: sum and weighted are 0"},
    {.dims = "M=5 N=1 hs=3", .fill = fill_any_diagonal, .note = "one key"},
    {.dims = "M=64 N=64 hs=64", .fill = fill_quiet_all, .note = "every size is 64"},
    {.dims = "M=3 N=256 hs=4", .fill = fill_quiet_all, .note = "exactly 256 keys"},
    {.dims = "M=3 N=4 hs=256", .fill = fill_quiet_all, .note = "a head of width 256"},
    {.dims = "M=3 N=5 hs=2",
     .fill = fill_largest_diagonal,
     .note = "the largest diagonal: every query sees every key",
     .apart = true},
    {.dims = "M=3 N=5 hs=2",
     .fill = fill_smallest_diagonal,
     .note = "the smallest diagonal: no query sees a key",
     .apart = true},
    {.dims = "M=6 N=8 hs=5",
     .fill = fill_nan_unseen,
     .note = "NaN in the rows that no query sees"},
    {.dims = "M=4 N=5 hs=3",
     .fill = fill_all_nan,
     .note = "no query sees a key, and every row is NaN"},
    {.dims = "M=5 N=9 hs=4",
     .fill = fill_infinity_unseen,
     .note = "infinity in the rows that no query sees"},
    {.dims = "M=5 N=11 hs=7", .fill = fill_large, .note = "large scores"},
    {.dims = "M=5 N=6 hs=3", .fill = fill_equal, .note = "all scores are 0"},
    {.dims = "M=10 N=16 hs=16", .fill = fill_exact, .note = EXACT_NOTE},
    {.dims = "M=5 N=64 hs=16",
     .fill = fill_far,
     .note = "scores near 10000000 and -10000000"},
    {.dims = "M=7 N=16 hs=16", .fill = fill_low, .note = "all scores are far below 0"},
    {.dims = "M=3 N=1031 hs=5", .fill = fill_many_keys, .note = "many keys"},
    {.dims = "M=131 N=3 hs=4", .fill = fill_any_diagonal, .note = "many queries"},
    {.dims = "M=3 N=4 hs=1031", .fill = fill_quiet, .note = "a wide head"},
    {.dims = "M=256 N=3 hs=2", .fill = fill_any_diagonal, .note = "256 queries"},
    {.dims = "M=37 N=67 hs=33", .fill = fill_quiet, .note = "larger, odd sizes"},
    {.dims = "M=1 N=3 hs=1",
     .fill = fill_20_below,
     .unit = 1e-12f,
     .note = BELOW_20_NOTE},
    {.dims = "M=1 N=3 hs=2",
     .fill = fill_equal_two_sizes,
     .unit = TWO_SIZES_UNIT,
     .note = TWO_SIZES_NOTE},
    {.dims = "M=3 N=3 hs=1",
     .fill = fill_below_0,
     .note = "heads of width 1: query 0 sees no key"},
    {.dims = "M=0 N=3 hs=2", .fill = fill_all_seen, .note = "a size of 0"},
    {.dims = "M=3 N=0 hs=2", .fill = fill_all_seen, .note = "a size of 0"},
    {.dims = "M=3 N=4 hs=0", .fill = fill_all_seen, .note = "a size of 0"},
    {0},
};

static void change_unseen(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    set_unseen(second, NAN);
}

// BEGIN HANDED OUT
static bool same_output(const struct test_case *first, const struct test_case *second,
                        const char *output, char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t count = case_count(first, output), width = count / case_dim(first, "M");
    for (size_t i = 0; i < count; i++) {
        if (memcmp(before + i, after + i, sizeof *before) != 0) {
            snprintf(why, why_size, "%s of query %zu went from %.9g to %.9g", output,
                     i / width, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool same_part(const struct test_case *first, const struct test_case *second,
                      char *why, size_t why_size)
{
    return same_output(first, second, "max", why, why_size) &&
           same_output(first, second, "sum", why, why_size) &&
           same_output(first, second, "weighted", why, why_size);
}
// END HANDED OUT

static const struct property partial_properties[] = {
    {
        .id = "unseen-rows-do-not-matter",
        .claim = "NaN in the rows of k and v that no query sees does not change any bit",
        .dims = "M=4 N=7 hs=3",
        .fill = fill_half_empty,
        .change = change_unseen,
        HOLDS(same_part),
    },
    {0},
};

// ---- online_softmax_merge -----------------------------------------------------------------

// Sums of exponentials whose largest is 1.
static void make_sums(struct test_case *test)
{
    float *sum[] = {case_f32(test, "sum"), case_f32(test, "sum_b")};
    for (size_t n = 0; n < 2 * case_dim(test, "N"); n++) {
        float *x = &sum[n % 2][n / 2];
        *x = 1.0f + fabsf(*x);
    }
}

static void empty_part(struct test_case *test, size_t n, const char *max, const char *sum,
                       const char *weighted)
{
    const size_t hs = case_dim(test, "hs");
    case_f32(test, max)[n] = -INFINITY;
    case_f32(test, sum)[n] = 0.0f;
    memset(case_f32(test, weighted) + n * hs, 0, hs * sizeof(float));
}

static void fill_merge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_sums(test);
}

// Which part has the larger maximum: in every query the old one, or the new one.
static void fill_old_larger(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    shift_input(test, "max", 5.0f);
}

// In turn, the old and the new part are 20 below. Only that part has values.
static void fill_20_apart(struct test_case *test, struct lab_rng *rng)
{
    const size_t hs = case_dim(test, "hs");
    fill_merge(test, rng);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const bool old = n % 2 == 0;
        case_f32(test, "max")[n] = old ? -15.0f : 5.0f;
        case_f32(test, "max_b")[n] = old ? 5.0f : -15.0f;
        memset(case_f32(test, old ? "weighted_b" : "weighted") + n * hs, 0,
               hs * sizeof(float));
    }
}

static void fill_new_larger(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    shift_input(test, "max_b", 5.0f);
}

static void fill_same_maximum(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    memcpy(case_f32(test, "max_b"), case_f32(test, "max"),
           case_count(test, "max") * sizeof(float));
}

// The part of every query.
static void empty_parts(struct test_case *test, const char *max, const char *sum,
                        const char *weighted)
{
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        empty_part(test, n, max, sum, weighted);
    }
}

static void fill_old_empty(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    empty_parts(test, "max", "sum", "weighted");
}

static void fill_new_empty(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    empty_parts(test, "max_b", "sum_b", "weighted_b");
}

static void fill_both_empty(struct test_case *test, struct lab_rng *rng)
{
    fill_old_empty(test, rng);
    empty_parts(test, "max_b", "sum_b", "weighted_b");
}

// Queries 0, 4, ... have two parts, the others one, the other, or none.
static void fill_some_empty(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        if (n % 4 == 1 || n % 4 == 3) {
            empty_part(test, n, "max", "sum", "weighted");
        }
        if (n % 4 == 2 || n % 4 == 3) {
            empty_part(test, n, "max_b", "sum_b", "weighted_b");
        }
    }
}

// The difference of the maxima is exact, and near 200: one factor is 0.
static void fill_far_apart(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_f32(test, n % 2 == 0 ? "max" : "max_b")[n] += 200.0f;
    }
}

static void shift_both(struct test_case *test, float by)
{
    shift_input(test, "max", by);
    shift_input(test, "max_b", by);
}

static void fill_two_sizes(struct test_case *test, struct lab_rng *rng)
{
    const size_t hs = case_dim(test, "hs");
    fill_same_maximum(test, rng);
    scale_input(test, "sum", 1e4f); // of very many keys
    columns_of_two_sizes(test, "weighted", hs);
    columns_of_two_sizes(test, "weighted_b", hs);
}

static void fill_far_up(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    shift_both(test, 1e4f);
}

static void fill_far_below(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    shift_both(test, -1e4f);
}

// Maxima of -2^101, equal in one query, and one of them twice as low in the next.
static void fill_lowest(struct test_case *test, struct lab_rng *rng)
{
    fill_merge(test, rng);
    set_all(test, "max", -0x1p101f);
    set_all(test, "max_b", -0x1p101f);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        if (n % 3 > 0) {
            case_f32(test, n % 3 == 1 ? "max" : "max_b")[n] *= 2;
        }
    }
}

static const struct case_spec merge_cases[] = {
    {.dims = "N=1 hs=1", .fill = fill_new_larger, .note = "max_b is larger"},
    {.dims = "N=1 hs=2", .fill = fill_old_larger, .note = "max is larger"},
    {.dims = "N=2 hs=3", .fill = fill_merge},
    {.dims = "N=3 hs=2",
     .fill = fill_new_larger,
     .note = "max_b is larger for every query"},
    {.dims = "N=2 hs=4",
     .fill = fill_old_larger,
     .note = "max is larger for every query"},
    {.dims = "N=3 hs=1", .fill = fill_same_maximum, .note = "the maxima are the same"},
    {.dims = "N=2 hs=3", .fill = fill_old_empty, .note = "the old parts have no keys"},
    {.dims = "N=3 hs=2", .fill = fill_new_empty, .note = "the parts b have no keys"},
    {.dims = "N=2 hs=3", .fill = fill_both_empty, .note = "neither part has keys"},
    {.dims = "N=9 hs=4", .fill = fill_some_empty, .note = "some parts have no keys"},
    {.dims = "N=4..6 hs=2..3", .draws = 3, .fill = fill_merge},
    {.dims = "N=3 hs=3", .fill = fill_merge, .note = "all sizes are 3"},
    {.dims = "N=5 hs=7", .fill = fill_far_apart, .note = "maxima that differ by 200"},
    {.dims = "N=5 hs=4", .fill = fill_far_up, .note = "maxima near 10000"},
    {.dims = "N=4 hs=5", .fill = fill_far_below, .note = "maxima near -10000"},
    {.dims = "N=131 hs=3", .fill = fill_some_empty, .note = "many queries"},
    {.dims = "N=256 hs=2", .fill = fill_some_empty, .note = "256 queries"},
    {.dims = "N=3 hs=1031", .fill = fill_merge, .note = "a wide head"},
    {.dims = "N=64 hs=3", .fill = fill_some_empty, .note = "exactly 64 queries"},
    {.dims = "N=3 hs=256", .fill = fill_merge, .note = "a head of width 256"},
    {.dims = "N=2 hs=2",
     .fill = fill_20_apart,
     .unit = 1e-12f,
     .note = "maxima that differ by 20: the lower part counts little, but not 0"},
    {.dims = "N=2 hs=3",
     .fill = fill_two_sizes,
     .unit = TWO_SIZES_UNIT,
     .note = TWO_SIZES_NOTE},
    {.dims = "N=1 hs=1",
     .fill = fill_old_empty,
     .note = "one number; the old part has no keys"},
    {.dims = "N=1 hs=1",
     .fill = fill_new_empty,
     .note = "one number; part b has no keys"},
    {.dims = "N=0 hs=3", .note = "a size of 0"},
    {.dims = "N=3 hs=0", .fill = fill_merge, .note = "a size of 0"},
    {.dims = "N=3 hs=2", .fill = fill_lowest, .note = "maxima below -2.5e30"},
    {0},
};

static void swap_inputs(struct test_case *test, const char *a, const char *b)
{
    float *x = case_f32(test, a), *y = case_f32(test, b);
    for (size_t i = 0; i < case_count(test, a); i++) {
        const float kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

static void change_order(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    swap_inputs(second, "max", "max_b");
    swap_inputs(second, "sum", "sum_b");
    swap_inputs(second, "weighted", "weighted_b");
}

// BEGIN HANDED OUT
// Are two results the same but for rounding?
static bool near_output(const struct test_case *first, const struct test_case *second,
                        const char *output, char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t count = case_count(first, output), width = count / case_dim(first, "N");
    for (size_t i = 0; i < count; i++) {
        const float size = fabsf(before[i]);
        if (before[i] != after[i] &&
            !(fabsf(before[i] - after[i]) <= 1e-5f + 1e-5f * size)) {
            snprintf(why, why_size,
                     "%s of query %zu is %.9g in one order, %.9g in the other", output,
                     i / width, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool either_order(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    return near_output(first, second, "max", why, why_size) &&
           near_output(first, second, "sum", why, why_size) &&
           near_output(first, second, "weighted", why, why_size);
}
// END HANDED OUT

static const struct property merge_properties[] = {
    {
        .id = "either-part-first",
        .claim = "it does not matter which of the two parts comes first",
        .dims = "N=8 hs=3",
        .fill = fill_some_empty,
        .change = change_order,
        HOLDS(either_order),
    },
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part online_softmax_parts[] = {
    {
        .function = "partial_attention",
        .dims = "M N hs",
        .tensors =
            {
                {"max", "M", OUTPUT, F32, 1e-5f, 1e-5f},
                {"sum", "M", OUTPUT, F32, 1e-5f, 2e-5f},
                {"weighted", "M hs", OUTPUT, F32, 3e-5f, 5e-5f},
                {"scores", "M N", WORKSPACE, F32, 0, 0},
                {"q", "M hs", INPUT, F32, 0, 0},
                {"k", "N hs", INPUT, F32, 0, 0},
                {"v", "N hs", INPUT, F32, 0, 0},
                {"diagonal", "1", INPUT, DIFFERENCE, 0, 0},
            },
        .cases = partial_cases,
        .properties = partial_properties,
        .mistakes = partial_mistakes,
        .alternatives = partial_alternatives,
    },
    {
        .function = "online_softmax_merge",
        .dims = "N hs",
        .tensors =
            {
                {"max", "N", UPDATED, F32, 0, 0},
                {"sum", "N", UPDATED, F32, 5e-6f, 5e-6f},
                {"weighted", "N hs", UPDATED, F32, 1e-5f, 5e-6f},
                {"max_b", "N", INPUT, F32, 0, 0},
                {"sum_b", "N", INPUT, F32, 0, 0},
                {"weighted_b", "N hs", INPUT, F32, 0, 0},
            },
        .cases = merge_cases,
        .properties = merge_properties,
        .mistakes = merge_mistakes,
        .alternatives = merge_alternatives,
    },
    {0},
};

const struct exercise exercise_10_1 = {
    .id = "10.1",
    .name = "online_softmax",
    .section = "10.1 A softmax in parts",
    .hints =
        {
            "A part is a softmax that has not been divided yet. What must happen to "
            "the sum of one part before you can add the sum of another part, with a "
            "larger maximum?",
            "Query r sees the first r + diagonal + 1 keys, at least 0 and at most N. max, sum and "
            "weighted run over these alone. To merge: m = the larger maximum; multiply sum and "
            "weighted of each part by exp(its maximum - m), then add. If m is -INFINITY, neither "
            "part has keys.",
            "partial_attention, for each r:\n"
            "    seen = r + diagonal + 1 as ptrdiff_t, clamped to 0 ... N\n"
            "    (if diagonal >= N it is N, without adding)\n"
            "    max[r] = -INFINITY, sum[r] = 0, weighted[r] = 0\n"
            "    for c < seen: scores[c] = q[r] . k[c] / sqrtf(hs)\n"
            "        max[r] = fmaxf(max[r], scores[c])\n"
            "    for c < seen: e = expf(scores[c] - max[r])\n"
            "        sum[r] += e; weighted[r] += e * v[c]\n"
            "online_softmax_merge, for each n:\n"
            "    m = fmaxf(max[n], max_b[n]); if m == -INFINITY: continue\n"
            "    a = expf(max[n] - m), b = expf(max_b[n] - m)\n"
            "    sum[n] = a*sum[n] + b*sum_b[n]; the same for weighted; max[n] = m",
        },
    .parts = online_softmax_parts,
};
