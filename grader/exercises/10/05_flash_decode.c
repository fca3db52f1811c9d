// 05_flash_decode.c - exercise 10.5, parts that are finished: cases and hints. 05a_ has the known
// mistakes.

#include "exercises/exercise.h"
#include "exercises/10/05_flash_decode.h"
#include "exercises/10/far_down.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"
#include "common/rng.h"

// ---- combine_partials -----------------------------------------------------------------------

static void set_part(struct test_case *test, size_t n, size_t p, float logsumexp)
{
    case_f32(test, "part_logsumexp")[n * case_dim(test, "P") + p] = logsumexp;
}

// No keys in a part: the content of its out must not count.
static void empty_part(struct test_case *test, size_t n, size_t p)
{
    const size_t P = case_dim(test, "P"), hs = case_dim(test, "hs");
    set_part(test, n, p, -INFINITY);
    for (size_t i = 0; i < hs; i++) {
        case_f32(test, "part_out")[(n * P + p) * hs + i] = NAN;
    }
}

// Every query has parts with keys and parts without, at different places.
static void fill_some_empty(struct test_case *test, struct lab_rng *rng)
{
    const size_t P = case_dim(test, "P");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const size_t full = (size_t)lab_rng_int(rng, 0, (int64_t)P);
        for (size_t p = 0; p < P; p++) {
            if (p != full && (n + p) % 2 == 0) {
                empty_part(test, n, p);
            }
        }
    }
}

// A part without keys that does not begin with NaN.
static void fill_odd_numbers(struct test_case *test, struct lab_rng *rng)
{
    fill_some_empty(test, rng);
    for (size_t i = 0; i < case_count(test, "part_out"); i++) {
        static const float odd[] = {1.0f, INFINITY, NAN};
        float *number = case_f32(test, "part_out") + i;
        *number = isnan(*number) ? odd[i % 3] : *number;
    }
}

// Only the last part has numbers, and it is 20 below the others.
static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t P = case_dim(test, "P"), hs = case_dim(test, "hs");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        for (size_t p = 0; p < P; p++) {
            set_part(test, n, p, p < P - 1 ? 10.0f : -10.0f);
        }
        memset(case_f32(test, "part_out") + n * P * hs, 0, (P - 1) * hs * sizeof(float));
    }
}

static void fill_first_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        empty_part(test, n, 0);
    }
}

static void fill_all_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t p = 0; p < case_dim(test, "P"); p++) {
        empty_part(test, case_dim(test, "N") / 2, p); // one query of several
    }
}

// Logsumexps near base, a few apart.
static void near(struct test_case *test, struct lab_rng *rng, float base)
{
    for (size_t i = 0; i < case_count(test, "part_logsumexp"); i++) {
        case_f32(test, "part_logsumexp")[i] = base + (float)lab_rng_int(rng, -3, 4);
    }
}

// Logsumexps near base, where floats are 0.001 apart. The largest of each query is at least 17 above
// the others, so the query's logsumexp is this number: code that subtracts the rounded logsumexp, as
// the contract's formula does, loses nothing. (fill_queries_apart has parts of similar weight.)
static void near_alone(struct test_case *test, struct lab_rng *rng, float base)
{
    const size_t P = case_dim(test, "P");
    near(test, rng, base);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const size_t largest = (size_t)lab_rng_int(rng, 0, (int64_t)P);
        case_f32(test, "part_logsumexp")[n * P + largest] += 23.0f;
    }
}

static void fill_high(struct test_case *test, struct lab_rng *rng)
{
    near_alone(test, rng, 10000.0f);
}

static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    near_alone(test, rng, -10000.0f);
}

// Queries whose logsumexps no common number can be subtracted from.
static void fill_queries_apart(struct test_case *test, struct lab_rng *rng)
{
    const size_t P = case_dim(test, "P");
    near(test, rng, 0.0f);
    for (size_t i = 0; i < case_count(test, "part_logsumexp"); i++) {
        case_f32(test, "part_logsumexp")[i] += i / P % 2 == 0 ? -300.0f : 300.0f;
    }
}

// One part of each query has nearly all keys: the first, the next and so on.
static void fill_apart(struct test_case *test, struct lab_rng *rng)
{
    near(test, rng, 0.0f);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        set_part(test, n, n % case_dim(test, "P"), 200.0f);
    }
}

// Without the last part's logsumexp, the maximum is near 0, and the exponential overflows.
static void fill_last_ahead(struct test_case *test, struct lab_rng *rng)
{
    near(test, rng, 0.0f);
    set_part(test, 0, case_dim(test, "P") - 1, 200.0f);
}

static void fill_equal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "part_logsumexp", 2.0f);
}

static void fill_two_sizes(struct test_case *test, struct lab_rng *rng)
{
    fill_equal(test, rng);
    columns_of_two_sizes(test, "part_out", case_dim(test, "hs"));
}

// The largest part of each query is -5e37, far below what a search might start with.
static void fill_lowest(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t P = case_dim(test, "P");
    for (size_t i = 0; i < case_count(test, "part_logsumexp"); i++) {
        case_f32(test, "part_logsumexp")[i] = -5e37f * (float)(1 + i % P);
    }
}

static const struct case_spec combine_cases[] = {
    {.dims = "N=1 P=2 hs=1"},
    {.dims = "N=1 P=1 hs=3", .note = "one part"},
    {.dims = "N=2 P=3 hs=2"},
    {.dims = "N=3 P=2 hs=4", .fill = fill_equal, .note = "parts of equal weight"},
    {.dims = "N=2 P=4 hs=3",
     .fill = fill_first_empty,
     .note = "the first part has no keys"},
    {.dims = "N=3 P=5 hs=2", .fill = fill_some_empty, .note = "some parts have no keys"},
    {.dims = "N=3 P=2 hs=4",
     .fill = fill_all_empty,
     .note = "no part of a query has keys"},
    {.dims = "N=4 P=3 hs=5", .fill = fill_apart, .note = "one part outweighs the others"},
    {.dims = "N=3 P=4 hs=2", .fill = fill_high, .note = "logsumexps near 10000"},
    {.dims = "N=3 P=4 hs=2", .fill = fill_low, .note = "logsumexps near -10000"},
    {.dims = "N=3 P=4 hs=2", .fill = fill_lowest, .note = "logsumexps below -1e37"},
    {.dims = "N=4 P=3 hs=2",
     .fill = fill_queries_apart,
     .note = "logsumexps near -300 in one query, near 300 in the next"},
    {.dims = "N=3 P=3 hs=3", .note = "all sizes are 3"},
    {.dims = "N=4..6 P=7..9 hs=5", .draws = 3, .fill = fill_some_empty},
    {.dims = "N=2 P=261 hs=3", .note = "many parts"},
    {.dims = "N=1 P=263 hs=1",
     .fill = fill_last_ahead,
     .note = "the last of 263 parts outweighs the others"},
    {.dims = "N=3 P=1 hs=2",
     .fill = fill_high,
     .note = "one part, logsumexps near 10000"},
    {.dims = "N=263 P=3 hs=2", .note = "many queries"},
    {.dims = "N=2 P=3 hs=1031", .note = "a wide head"},
    {.dims = "N=4 P=1 hs=3", .note = "one part"},
    {.dims = "N=5 P=1 hs=3",
     .fill = fill_all_empty,
     .note = "one part, in which one query has no keys"},
    {.dims = "N=4 P=3 hs=1", .note = "heads of width 1"},
    {.dims = "N=2 P=256 hs=3", .note = "exactly 256 parts"},
    {.dims = "N=256 P=3 hs=2", .note = "exactly 256 queries"},
    {.dims = "N=2 P=3 hs=256", .note = "a head of width 256"},
    {.dims = "N=1 P=3 hs=2",
     .fill = fill_20_below,
     .unit = 1e-12f,
     .note = "a part that is 20 below: it counts little, but not 0"},
    {.dims = "N=1 P=3 hs=2",
     .fill = fill_two_sizes,
     .unit = TWO_SIZES_UNIT,
     .note = TWO_SIZES_NOTE},
    {.dims = "N=1 P=2 hs=3",
     .fill = fill_odd_numbers,
     .unit = 1.0f,
     .note = "a part without keys has 1, infinity and NaN"},
    {.dims = "N=3 P=3 hs=1",
     .fill = fill_all_empty,
     .note = "heads of width 1; no part of a query has keys"},
    {.dims = "N=4 P=4 hs=1",
     .fill = fill_some_empty,
     .note = "heads of width 1; some parts have no keys"},
    {.dims = "N=1 P=2 hs=3",
     .fill = fill_all_empty,
     .note = "one query, and no part has keys"},
    {.dims = "N=0 P=2 hs=3", .note = "a size of 0"},
    {.dims = "N=2 P=0 hs=3", .note = "a size of 0"},
    {.dims = "N=2 P=3 hs=0", .note = "a size of 0"},
    {0},
};

// ---- flash_decode ---------------------------------------------------------------------------

static void set_length(struct test_case *test, size_t b, size_t length)
{
    case_size(test, "lengths")[b] = length;
}

// NaN in every row that does not count.
static void blank_rest(struct test_case *test)
{
    const size_t NH = case_dim(test, "NH"), T_max = case_dim(test, "T_max"),
                 hs = case_dim(test, "hs");
    float *const tensors[] = {case_f32(test, "keys"), case_f32(test, "values")};
    for (size_t i = 0; i < case_count(test, "keys"); i++) {
        if (i / hs % T_max >= case_size(test, "lengths")[i / hs / T_max / NH]) {
            tensors[0][i] = tensors[1][i] = NAN;
        }
    }
}

// Lengths that end in different chunks, or in the middle of one.
static void fill_lengths(struct test_case *test, struct lab_rng *rng)
{
    const size_t B = case_dim(test, "B"), T_max = case_dim(test, "T_max");
    for (size_t b = 0; b < B; b++) {
        set_length(test, b, (size_t)lab_rng_int(rng, 1, (int64_t)T_max));
    }
    set_length(test, B - 1, T_max > 1 ? T_max - 1 : 1);
    blank_rest(test);
}

// The rounding of a sum over many channels grows with the scores.
static void fill_quiet_lengths(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    scale_input(test, "q", 0.1f);
}

static void fill_one_key(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_length(test, b, 1);
    }
    blank_rest(test);
}

static void fill_values_of_two_sizes(struct test_case *test, struct lab_rng *rng)
{
    set_all(test, "q", 0.0f);
    columns_of_two_sizes(test, "values", case_dim(test, "hs"));
    fill_lengths(test, rng);
}

// A chunk is just full, or has one key more or less.
static void fill_edges(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t chunk = case_dim(test, "chunk");
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_length(test, b, chunk - 1 + b % 3);
    }
    blank_rest(test);
}

static void fill_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_length(test, b, case_dim(test, "T_max"));
    }
}

static void fill_far_down_full(struct test_case *test, struct lab_rng *rng)
{
    fill_full(test, rng);
    far_down(test, "keys", case_dim(test, "T_max"));
}

// With hs = 4 these scores are exact in any order of adding: the rounding of a large score would
// change its weight.
static void fill_peaked(struct test_case *test, struct lab_rng *rng)
{
    fill_lengths(test, rng);
    case_coarse(test, "q");
    case_coarse(test, "keys");
    scale_input(test, "q", 40.0f);
}

static void fill_bad(struct test_case *test, size_t b, size_t length)
{
    for (size_t i = 0; i < case_dim(test, "B"); i++) {
        set_length(test, i, 1);
    }
    set_length(test, b, length);
}

static void fill_first_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_bad(test, 0, 0);
}

static void fill_last_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_bad(test, case_dim(test, "B") - 1, 0);
}

static void fill_above(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_bad(test, 1, case_dim(test, "T_max") + 1);
}

static void fill_largest(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_bad(test, 1, SIZE_MAX);
}

static const struct case_spec decode_cases[] = {
    {.dims = "B=1 NH=1 T_max=4 hs=2 chunk=2 P=2", .fill = fill_lengths},
    {.dims = "B=2 NH=1 T_max=5 hs=3 chunk=2 P=3", .fill = fill_lengths},
    {.dims = "B=2 NH=3 T_max=7 hs=4 chunk=3 P=3", .draws = 2, .fill = fill_lengths},
    {.dims = "B=3 NH=2 T_max=9 hs=5 chunk=4 P=3",
     .fill = fill_edges,
     .note = "lengths just below, at and above a chunk"},
    {.dims = "B=2 NH=2 T_max=6 hs=3 chunk=4 P=2",
     .fill = fill_one_key,
     .note = "one key: the second part has none"},
    {.dims = "B=2 NH=3 T_max=5 hs=4 chunk=1 P=5",
     .fill = fill_lengths,
     .note = "chunks of one key"},
    {.dims = "B=2 NH=2 T_max=5 hs=3 chunk=8 P=1",
     .fill = fill_lengths,
     .note = "the chunk is longer than the cache"},
    {.dims = "B=3 NH=2 T_max=6 hs=4 chunk=3 P=2",
     .fill = fill_lengths,
     .note = "chunk divides T_max"},
    {.dims = "B=3 NH=3 T_max=3 hs=3 chunk=3 P=1",
     .fill = fill_lengths,
     .note = "all sizes are 3"},
    {.dims = "B=2..3 NH=4..5 T_max=11 hs=6 chunk=4 P=3",
     .draws = 2,
     .fill = fill_lengths},
    {.dims = "B=2 NH=2 T_max=13 hs=4 chunk=5 P=3",
     .fill = fill_peaked,
     .note = "large scores: nearly all weight on one key"},
    {.dims = "B=2 NH=2 T_max=1031 hs=5 chunk=64 P=17",
     .fill = fill_lengths,
     .note = "many keys"},
    {.dims = "B=2 NH=3 T_max=33 hs=65 chunk=16 P=3",
     .fill = fill_lengths,
     .note = "a wide head"},
    {.dims = "B=1 NH=1 T_max=5 hs=1280 chunk=2 P=3",
     .fill = fill_quiet_lengths,
     .note = "a very wide head"},
    {.dims = "B=256 NH=2 T_max=3 hs=2 chunk=2 P=2",
     .fill = fill_lengths,
     .note = "256 sequences"},
    {.dims = "B=2 NH=256 T_max=3 hs=2 chunk=2 P=2",
     .fill = fill_lengths,
     .note = "256 heads"},
    {.dims = "B=1 NH=2 T_max=1282 hs=2 chunk=1280 P=2",
     .fill = fill_lengths,
     .note = "chunks of 1280 keys"},
    {.dims = "B=1 NH=3 T_max=7 hs=4 chunk=3 P=3",
     .fill = fill_lengths,
     .note = "one sequence"},
    {.dims = "B=3 NH=2 T_max=7 hs=1 chunk=3 P=3",
     .fill = fill_lengths,
     .note = "heads of width 1"},
    {.dims = "B=1 NH=1 T_max=4 hs=2 chunk=2 P=2",
     .fill = fill_values_of_two_sizes,
     .unit = TWO_SIZES_UNIT,
     .note = TWO_SIZES_NOTE},
    {.dims = "B=2 NH=3 T_max=6 hs=4 chunk=4 P=2",
     .fill = fill_full,
     .note = "a full cache",
     .apart = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3 chunk=2 P=2",
     .fill = fill_first_0,
     .note = "the first length is 0"},
    {.dims = "B=3 NH=2 T_max=4 hs=3 chunk=2 P=2",
     .fill = fill_last_0,
     .note = "the last length is 0"},
    {.dims = "B=3 NH=2 T_max=4 hs=3 chunk=2 P=2",
     .fill = fill_above,
     .note = "a length is T_max + 1",
     .apart = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3 chunk=2 P=2",
     .fill = fill_largest,
     .note = "a length is the largest size_t",
     .apart = true},
    {.dims = "B=0 NH=2 T_max=4 hs=3 chunk=2 P=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T_max=4 hs=3 chunk=2 P=2",
     .fill = fill_one_key,
     .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=0 hs=3 chunk=2 P=1",
     .fill = fill_one_key,
     .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=4 hs=0 chunk=2 P=2",
     .fill = fill_one_key,
     .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=4 hs=3 chunk=0 P=1",
     .fill = fill_one_key,
     .note = "a size of 0"},
    {.dims = "B=3 NH=2 T_max=1 hs=4 chunk=2 P=1",
     .fill = fill_full,
     .note = "T_max is 1",
     .apart = true},
    {.dims = "B=2 NH=2 T_max=256 hs=64 chunk=64 P=4",
     .fill = fill_full,
     .note = "four whole chunks of 64 keys",
     .apart = true},
    {.dims = "B=1 NH=3 T_max=6 hs=1 chunk=3 P=2",
     .fill = fill_far_down_full,
     .note = FAR_DOWN_NOTE},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

#define OUT_TOLERANCE 1e-5f, 1e-4f
#define LOG_TOLERANCE 1e-5f, 4e-6f

static const struct part flash_decode_parts[] = {
    {
        .function = "combine_partials",
        .dims = "N P hs",
        .tensors =
            {
                {"out", "N hs", OUTPUT, F32, OUT_TOLERANCE},
                {"logsumexp", "N", OUTPUT, F32, LOG_TOLERANCE},
                {"part_out", "N P hs", INPUT, F32, 0, 0},
                {"part_logsumexp", "N P", INPUT, F32, 0, 0},
            },
        .cases = combine_cases,
        .mistakes = combine_mistakes,
        .alternatives = combine_alternatives,
    },
    {
        .function = "flash_decode",
        .dims = "B NH T_max hs chunk P",
        .tensors =
            {
                {"out", "B NH hs", OUTPUT, F32, OUT_TOLERANCE},
                {"logsumexp", "B NH", OUTPUT, F32, LOG_TOLERANCE},
                {"part_out", "B NH P hs", OUTPUT, F32, OUT_TOLERANCE},
                {"part_logsumexp", "B NH P", OUTPUT, F32, LOG_TOLERANCE},
                {"scores", "chunk", WORKSPACE, F32, 0, 0},
                {"q", "B NH hs", INPUT, F32, 0, 0},
                {"keys", "B NH T_max hs", INPUT, F32, 0, 0},
                {"values", "B NH T_max hs", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = decode_cases,
        .mistakes = decode_mistakes,
        .alternatives = decode_alternatives,
    },
    {0},
};

const struct exercise exercise_10_5 = {
    .id = "10.5",
    .name = "flash_decode",
    .section = "10.5 Many parts at once",
    .uses = {"10.1"},
    .hints =
        {
            "exp(logsumexp) of a part is the sum of its exponentials. What share of the "
            "total does each part have? And which keys does chunk p of a sequence have?",
            "combine_partials: a stable softmax over the P logsumexps of a query; its "
            "weights multiply the parts' outs; logsumexp = max + log(sum). Skip parts with "
            "-INFINITY. flash_decode: chunk p has keys p chunk ... min(length, (p + 1) "
            "chunk) - 1, perhaps none; its out is weighted / sum, its logsumexp max + "
            "log(sum).",
            "combine_partials, for each n:\n"
            "    max = the largest part_logsumexp[n][p]\n"
            "    if max == -INFINITY: out[n] = 0, logsumexp[n] = -INFINITY; next n\n"
            "    logsumexp[n] = max + logf(sum of expf(part_logsumexp[n][p] - max))\n"
            "    for p with keys: share = expf(part_logsumexp[n][p] - logsumexp[n])\n"
            "        out[n] += share * part_out[n][p]\n"
            "flash_decode: P = (T_max - 1) / chunk + 1; for each b, h, p: first = p * chunk\n"
            "    no keys (first >= length): out 0, logsumexp -INFINITY\n"
            "    partial_attention of 1 query and min(chunk, length - first) keys\n"
            "    part_out = weighted / sum; part_logsumexp = max + logf(sum)\n"
            "    at the end: combine_partials(out, logsumexp, ..., B * NH, P, hs)",
        },
    .parts = flash_decode_parts,
};
