// 02_attention_decode.c - exercise 9.2, attention_decode: cases and hints.

#include "exercises/exercise.h"
#include "exercises/09/02_attention_decode.h"
#include "exercises/09/glance.h"
#include "exercises/09/lengths.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

// At least one row of each sequence holds what an earlier sequence left there.
static void fill_decode(struct test_case *test, struct lab_rng *rng)
{
    const size_t T_max = case_dim(test, "T_max");
    draw_lengths(test, rng, T_max > 2 ? 2 : 1, T_max > 1 ? T_max - 1 : 1);
}

static void fill_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "T_max"));
}

static void fill_one_full(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_length(test, case_count(test, "lengths") - 1, case_dim(test, "T_max"));
}

static void fill_one_token(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 1);
}

// The first sequence has one token, the others more.
static void fill_first_token(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_length(test, 0, 1);
}

static void set_behind(struct test_case *test, float value)
{
    const size_t T_max = case_dim(test, "T_max");
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_rows(test, "keys", T_max, b, case_size(test, "lengths")[b], value);
        set_rows(test, "values", T_max, b, case_size(test, "lengths")[b], value);
    }
}

static void fill_nan_behind(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_behind(test, NAN);
}

static void fill_infinity_behind(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_behind(test, INFINITY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    scale_input(test, "q", 5.0f);
}

// Every score is 0, and so is the largest.
static void fill_zero_queries(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    scale_input(test, "q", 0.0f);
}

// For wide heads: even scores that are wrongly multiplied stay small enough for a float.
static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    scale_input(test, "q", 0.1f);
}

enum { EXTREME_WIDTH = 16, EXTREME_KINDS = 4 };

// Exact scores: with hs = 16 the scale is 1/4, and a query selects one channel of the keys. With
// NH = 4, T_max = 16 or 64 and these lengths, most wrong scales are exact, too.
// Channel 0 holds whole numbers near 10000000, which every fifth query negates. In the others,
// the oldest, the newest or a middle key is more than 100 ahead of the rest.
static void fill_extreme(struct test_case *test, struct lab_rng *rng)
{
    enum { WIDTH = EXTREME_WIDTH, KINDS = EXTREME_KINDS };
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_length(test, b, case_dim(test, "T_max") > 16 && b % 2 == 1 ? 16 : 4);
    }
    const size_t T_max = case_dim(test, "T_max"), NH = case_dim(test, "NH");
    float *q = case_f32(test, "q"), *keys = case_f32(test, "keys");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t row = 0; row < case_count(test, "q") / WIDTH; row++) {
        const size_t kind = row % (KINDS + 1);
        q[row * WIDTH + kind % KINDS] = kind == KINDS ? -4.0f : 4.0f;
    }
    for (size_t row = 0; row < case_count(test, "keys") / WIDTH; row++) {
        const size_t s = row % T_max, S = case_size(test, "lengths")[row / T_max / NH];
        const size_t ahead[KINDS] = {S, 0, S - 1, S / 2};
        keys[row * WIDTH] = 1e7f + (float)lab_rng_int(rng, 0, 4);
        for (size_t c = 1; c < KINDS; c++) {
            keys[row * WIDTH + c] =
                (float)lab_rng_int(rng, -3, 4) + (s == ahead[c] ? 107.0f : 0.0f);
        }
    }
}

static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    fill_low_scores(test, "keys", case_dim(test, "T_max"));
}

// The same in quarters, for many keys that a hand-out's archive compresses well.
static void fill_many(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    case_coarse(test, "keys");
    case_coarse(test, "values");
}

static void fill_many_channels(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    scale_input(test, "q", 0.1f);
}

// A number of the newest value of the last sequence, whose weight is not 0.
static void fill_nan_value(struct test_case *test, struct lab_rng *rng)
{
    fill_full(test, rng);
    case_f32(test, "values")[case_count(test, "values") - 1] = NAN;
}

// More than 1024 of them are valid in the last sequence.
static void fill_many_valid(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    set_length(test, case_dim(test, "B") - 1, case_dim(test, "T_max") - 2);
}

static void fill_many_nan_behind(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    scale_input(test, "q", 0.1f);
    set_behind(test, NAN);
}

static void fill_full_coarse(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    fill_full(test, rng);
}

// All weights are equal: the student archive does not store them.
static void fill_equal_full(struct test_case *test, struct lab_rng *rng)
{
    fill_full_coarse(test, rng);
    scale_input(test, "q", 0.0f);
}

static void fill_bad_length(struct test_case *test, struct lab_rng *rng, size_t b,
                            size_t length)
{
    fill_decode(test, rng);
    set_length(test, b, length);
}

static void fill_first_0(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, 0, 0);
}

static void fill_last_0(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, case_count(test, "lengths") - 1, 0);
}

static void fill_first_above(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, 0, case_dim(test, "T_max") + 1);
}

static void fill_last_above(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, case_count(test, "lengths") - 1,
                    case_dim(test, "T_max") + 1);
}

static void fill_largest(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, 1, SIZE_MAX);
}

// Without the newest key's score, the maximum is 0, and the exponential overflows.
static void fill_newest_ahead(struct test_case *test, struct lab_rng *rng)
{
    const size_t T_max = case_dim(test, "T_max"), hs = case_dim(test, "hs");
    fill_full(test, rng);
    set_all(test, "q", 1.0f);
    set_all(test, "keys", 0.0f);
    set_channel(test, "keys", T_max * hs, (T_max - 1) * hs, 200.0f);
}

static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    fill_full(test, rng);
    heads_below(test, "q", "keys", "values", 20.0f);
}

static void fill_80_below(struct test_case *test, struct lab_rng *rng)
{
    fill_full(test, rng);
    heads_below(test, "q", "keys", "values", 80.0f);
}

#define EXTREME_NOTE                                                                     \
    "scores near 10000000 and -10000000, or one key ahead of the others by 100"

static const struct case_spec decode_cases[] = {
    {.dims = "B=1 NH=1 T_max=2 hs=1", .fill = fill_one_token, .note = "one token"},
    {.dims = "B=1 NH=1 T_max=4 hs=2", .fill = fill_decode},
    {.dims = "B=1 NH=2 T_max=5 hs=3", .fill = fill_decode},
    {.dims = "B=2 NH=1 T_max=6 hs=4", .fill = fill_decode, .note = "one head"},
    {.dims = "B=2 NH=3 T_max=6 hs=4", .fill = fill_decode},
    {.dims = "B=3 NH=2 T_max=4 hs=5",
     .fill = fill_one_token,
     .note = "every sequence has one token"},
    {.dims = "B=3 NH=2 T_max=5 hs=4",
     .fill = fill_first_token,
     .note = "the first sequence has one token"},
    {.dims = "B=3 NH=2 T_max=7 hs=5", .draws = 2, .fill = fill_decode},
    {.dims = "B=2..3 NH=4..5 T_max=8..9 hs=6", .draws = 3, .fill = fill_decode},
    {.dims = "B=3 NH=3 T_max=3 hs=3", .fill = fill_decode, .note = "all sizes are 3"},
    {.dims = "B=3 NH=2 T_max=8 hs=7",
     .fill = fill_nan_behind,
     .note = "NaN in the rows past each length"},
    {.dims = "B=2 NH=3 T_max=9 hs=5",
     .fill = fill_infinity_behind,
     .note = "infinity in the rows past each length"},
    {.dims = "B=2 NH=2 T_max=11 hs=7", .fill = fill_large, .note = "large scores"},
    {.dims = "B=3 NH=4 T_max=16 hs=16", .fill = fill_extreme, .note = EXTREME_NOTE},
    {.dims = "B=4 NH=4 T_max=64 hs=16", .fill = fill_extreme, .note = EXTREME_NOTE},
    {.dims = "B=2 NH=3 T_max=5 hs=16", .fill = fill_low, .note = LOW_NOTE},
    {.dims = "B=2 NH=2 T_max=1031 hs=5", .fill = fill_many_valid, .note = "many keys"},
    {.dims = "B=2 NH=1 T_max=7 hs=1031", .fill = fill_wide, .note = "a wide head"},
    {.dims = "B=261 NH=1 T_max=4 hs=2", .fill = fill_decode, .note = "many sequences"},
    {.dims = "B=2 NH=257 T_max=5 hs=3", .fill = fill_decode, .note = "many heads"},
    {.dims = "B=3 NH=4 T_max=67 hs=65",
     .fill = fill_many_nan_behind,
     .note = "NaN in the rows past each length; larger, odd sizes"},
    {.dims = "B=17 NH=19 T_max=37 hs=23",
     .fill = fill_wide,
     .cpu_only = true,
     .note = "larger, odd sizes"},
    {.dims = "B=1 NH=1 T_max=1 hs=1",
     .fill = fill_full,
     .note = "one number",
     .apart = true},
    {.dims = "B=1 NH=2 T_max=3 hs=2",
     .fill = fill_full,
     .note = "a full cache",
     .apart = true},
    {.dims = "B=3 NH=5 T_max=17 hs=1", .fill = fill_decode, .note = "heads of width 1"},
    {.dims = "B=256 NH=1 T_max=4 hs=2",
     .fill = fill_decode,
     .note = "exactly 256 sequences"},
    {.dims = "B=2 NH=256 T_max=5 hs=3", .fill = fill_decode, .note = "exactly 256 heads"},
    {.dims = "B=2 NH=2 T_max=7 hs=256", .fill = fill_wide, .note = "a head of width 256"},
    {.dims = "B=3 NH=2 T_max=6 hs=5",
     .fill = fill_one_full,
     .note = "the last sequence is full",
     .apart = true},
    {.dims = "B=2 NH=3 T_max=33 hs=8",
     .fill = fill_full,
     .note = "a full cache",
     .apart = true},
    // The content of device memory is not checked there.
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_first_0,
     .note = "the first length is 0",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_last_0,
     .note = "the last length is 0",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_first_above,
     .note = "the first length is T_max + 1",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_last_above,
     .note = "the last length is T_max + 1",
     .cpu_only = true,
     .apart = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_largest,
     .note = "a length is the largest size_t",
     .cpu_only = true,
     .apart = true},
    {.dims = "B=0 NH=2 T_max=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T_max=3 hs=2", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=0 hs=2", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=3 hs=0", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=3 T_max=5 hs=4",
     .fill = fill_zero_queries,
     .note = "queries of zeros: equal weights"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "B=1 NH=2 T_max=12301 hs=2",
     .fill = fill_full_coarse,
     .note = "more than 12288 keys",
     .gpu_only = true},
    {.dims = "B=1 NH=1 T_max=65541 hs=1",
     .fill = fill_equal_full,
     .note = "a full cache of 65541 keys: more than 16 bits can count",
     .apart = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=65537 NH=1 T_max=1 hs=1",
     .fill = fill_one_token,
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 NH=65537 T_max=1 hs=1",
     .fill = fill_one_token,
     .note = "65537 heads",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=3 NH=2 T_max=1 hs=4",
     .fill = fill_full,
     .note = "T_max is 1",
     .apart = true},
    {.dims = "B=2 NH=2 T_max=64 hs=64",
     .fill = fill_full,
     .note = "a full cache of 64 keys, hs is 64",
     .apart = true},
    {.dims = "B=2 NH=2 T_max=1024 hs=5",
     .fill = fill_full_coarse,
     .note = "a full cache of 1024 keys",
     .apart = true},
    {.dims = "B=1 NH=1 T_max=131 hs=2",
     .fill = fill_newest_ahead,
     .note = "the newest of 131 keys is ahead by 141",
     .apart = true},
    {.dims = "B=1 NH=1 T_max=3 hs=4",
     .fill = fill_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT,
     .apart = true},
    {.dims = "B=1 NH=1 T_max=3 hs=4",
     .fill = fill_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT,
     .apart = true},
    {.dims = "B=1 NH=2 T_max=3 hs=5003",
     .fill = fill_many_channels,
     .note = "a head of width 5003",
     .memory_only = true},
    {.dims = "B=1031 NH=2 T_max=2 hs=1",
     .fill = fill_decode,
     .note = "1031 sequences",
     .memory_only = true},
    {.dims = "B=2 NH=2 T_max=3 hs=4",
     .fill = fill_nan_value,
     .note = "the last number of the newest value is NaN",
     .nan = true,
     .apart = true},
    {MOST("B=1 NH=1 T_max=2 hs=2", "T_max"), .fill = fill_one_token},
    {MOST("B=1 NH=1 T_max=2 hs=2", "hs"), .fill = fill_one_token},
    {0},
};

// Other numbers in all rows past the lengths.
static void change_behind(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    set_behind(second, NAN);
}

// BEGIN HANDED OUT
static bool same_bits(const struct test_case *first, const struct test_case *second,
                      const char *output, char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t rows = case_dim(first, "B") * case_dim(first, "NH");
    for (size_t i = 0; i < case_count(first, output); i++) {
        if (memcmp(before + i, after + i, sizeof *before) != 0) {
            const size_t row = i / (case_count(first, output) / rows);
            snprintf(why, why_size, "%s of sequence %zu, head %zu went from %.9g to %.9g",
                     output, row / case_dim(first, "NH"), row % case_dim(first, "NH"),
                     (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool nothing_changes(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    return same_bits(first, second, "weights", why, why_size) &&
           same_bits(first, second, "out", why, why_size) &&
           zero_behind(second, case_dim(second, "T_max"), why, why_size);
}
// END HANDED OUT

static const struct property decode_properties[] = {
    {
        .id = "rows-behind-do-not-matter",
        .claim = "NaN in the rows from lengths[b] on does not change any bit, and the "
                 "weights from there on are exactly 0",
        .dims = "B=3 NH=2 T_max=6 hs=4",
        .fill = fill_decode,
        .change = change_behind,
        HOLDS(nothing_changes),
    },
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part decode_part[] = {
    {
        .function = "attention_decode",
        .dims = "B NH T_max hs",
        .tensors =
            {
                {"out", "B NH hs", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH T_max", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "B NH T_max", WORKSPACE, F32, 0, 0},
                {"q", "B NH hs", INPUT, F32, 0, 0},
                {"keys", "B NH T_max hs", INPUT, F32, 0, 0},
                {"values", "B NH T_max hs", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = decode_cases,
        .properties = decode_properties,
        .mistakes = attention_decode_mistakes,
        .alternatives = attention_decode_alternatives,
    },
    {0},
};

const struct exercise exercise_9_2 = {
    .id = "9.2",
    .name = "attention_decode",
    .section = "9.2 One query",
    .uses = {"2.1", "2.4"},
    .hints =
        {
            "For one head this is attention with a single query. Which of the "
            "T_max rows take part?",
            "For head i = b*NH + h: S = lengths[b]; S scores by matmul_nt with the sizes "
            "1, S, hs, divided by sqrt(hs); softmax of these S; 0 in the other T_max - S "
            "weights; out by matmul with the sizes 1, hs, S. Head i's keys start at "
            "i*T_max*hs, its weights at i*T_max.",
            "for i below B*NH:\n"
            "    S = lengths[i/NH]\n"
            "    matmul_nt(scores + i*T_max, q + i*hs, keys + i*T_max*hs, 1, S, hs)\n"
            "    each of the S scores times 1/sqrtf(hs)\n"
            "    batched_softmax(weights + i*T_max, scores + i*T_max, 1, 1, S)\n"
            "    weights[i*T_max + s] = 0 for s from S to T_max - 1\n"
            "    matmul(out + i*hs, weights + i*T_max, values + i*T_max*hs, 1, hs, S)",
        },
    .gpu_hints =
        {
            "A block for each sequence and head works like lab 1's "
            "softmax_rows_kernel, with a dot product before it and a sum over the "
            "values after it. Which pass reads numbers that other threads have written?",
            "Thread x computes the scores of keys x, x + BLOCK, ... and the block's largest; "
            "their exponentials and the block's sum; their weights. Then a barrier, and "
            "thread x adds up channels x, x + BLOCK, ... over all keys. The length of "
            "sequence i / NH is in lengths_dev; only the kernel may read it.",
            "i = blockIdx.x, S = lengths_dev[i / NH]; head i's keys start at i*T_max*hs\n"
            "for s = threadIdx.x; s < S; s += BLOCK: scores[s] = q . keys[s] / sqrtf(hs)\n"
            "max of the block (shuffles, shared memory, barrier)\n"
            "for the same s: weights[s] = expf(scores[s] - max); sum of the block\n"
            "for the same s: weights[s] /= sum; for s from S to T_max - 1: weights[s] = 0\n"
            "__syncthreads()\n"
            "for c = threadIdx.x; c < hs; c += BLOCK:\n"
            "    out[c] = sum over s < S of weights[s] * values[s*hs + c]",
        },
    .parts = decode_part,
};
