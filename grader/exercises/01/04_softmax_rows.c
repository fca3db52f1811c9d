// 04_softmax_rows.c - exercise 1.4, softmax_rows: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/01/04_softmax_rows.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>

#include "01_simple_attention/attention.h"
#include "common/rng.h"

static void move_scores(struct test_case *test, float even_rows, float odd_rows)
{
    float *scores = case_f32(test, "scores");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] += i / S % 2 == 0 ? even_rows : odd_rows;
    }
}

static void wide_spread(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "scores", 5.0f);
}

static void ten_thousands(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "scores", 1e4f);
}

static void far_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, 1e4f, 1e4f);
}

static void far_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, -1e4f, -1e4f);
}

static void farther_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, -3e4f, -3e4f);
}

static void millions_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    whole_steps_from(test, -1e7f);
}

static void millions_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    whole_steps_from(test, 1e7f);
}

// One score above many others, by 11 in row 0 and by 1.5 more in each later row. Each of
// the others gets almost no weight, but together they get a visible share.
static void many_small_terms(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    for (size_t i = 0; i < T * S; i++) {
        scores[i] = 0.25f * scores[i] - 11.0f - 1.5f * (float)(i / S);
    }
    for (size_t t = 0; t < T; t++) {
        scores[t * S + 37 * t % S] = 0.0f;
    }
}

static void down_and_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    move_scores(test, -1e4f, 1e4f);
}

// Every third key is masked, shifted by one in each row, so that no row or column is
// empty.
static void some_keys_hidden(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if ((i / S + i % S) % 3 == 0) {
            scores[i] = -INFINITY;
        }
    }
}

// Row 1 has no key. Score 0 is finite, so a function that starts each maximum from it gets zeros in row 1.
static void some_keys_and_a_row_hidden(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    const size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if (i / S == 1 || (i / S + i % S) % 3 == 1) {
            scores[i] = -INFINITY;
        }
    }
}

// Rows 1, 4, 7 ... have no key.
static void some_rows_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if (i / S % 3 == 1) {
            scores[i] = -INFINITY;
        }
    }
}

static const struct case_spec softmax_cases[] = {
    {.dims = "T=1 S=1", .note = "one key gets everything"},
    {.dims = "T=1 S=2"},
    {.dims = "T=2 S=3"},
    {.dims = "T=7 S=2"},
    {.dims = "T=4..6 S=1", .note = "one key gets everything"},
    {.dims = "T=2..4 S=5..9", .draws = 3},
    {.dims = "T=3 S=65", .note = "long rows"},
    {"T=4 S=6", 1, "scores five times as far apart", wide_spread},
    {"T=3 S=4", 1, "scores in the tens of thousands", ten_thousands},
    {"T=1 S=2", 1, "scores near 1e4", far_up},
    {"T=3 S=4", 1, "scores near 1e4", far_up},
    {"T=1 S=2", 1, "scores near -1e4", far_down},
    {"T=3 S=4", 1, "scores near -1e4", far_down},
    {"T=3 S=4", 1, "scores near -3e4", farther_down},
    {"T=4 S=3", 1, "rows near -1e4 and rows near 1e4", down_and_up},
    {"T=3 S=4", 1, "scores near 1e30 and -1e30", huge_scores},
    {"T=3 S=4", 1, LOWEST_NOTE, lowest_scores},
    {"T=3 S=6", 1, "all scores of a row are equal", equal_scores},
    {"T=5 S=5", 1, "T = S", NULL},
    {"T=6 S=5", 1, "one score of each row far above the rest", one_far_above},
    {"T=3 S=2", 1, "one score of each row far above the rest", one_far_above},
    {"T=9 S=521", 1, "one score of each row far above the rest", one_far_above},
    {"T=3 S=5", 1, LIMITS_NOTE, scores_at_limits},
    {"T=4 S=61", 1, "many small terms", many_small_terms},
    {"T=3 S=5", 1, "whole numbers near -1e7", millions_down},
    {"T=3 S=5", 1, "whole numbers near 1e7", millions_up},
    {.dims = "T=67 S=71", .note = "all sizes past 64"},
    {.dims = "T=521 S=131", .note = "more than 512 rows"},
    {.dims = "T=131 S=521", .note = "more than 512 keys"},
    {"T=1 S=1031", 1, "more than 1024 keys", spread_scores},
    {"T=3 S=4", 1, "some scores are -inf", some_keys_hidden},
    {"T=2..6 S=7", 2, "some scores are -inf", some_keys_hidden},
    {"T=2 S=1", 1, "a row of only -inf becomes zeros", some_rows_empty},
    {"T=5..6 S=3", 2, "a row of only -inf becomes zeros", some_rows_empty},
    {.dims = "T=256 S=64", .note = "exactly 256 rows"},
    {.dims = "T=1031 S=3", .note = "more than 1024 rows", .gpu_only = true},
    {.dims = "T=2 S=1024", .fill = spread_scores, .note = "exactly 1024 keys"},
    {"T=3 S=1024", 1, "one score of each row far above the rest", one_far_above},
    {"T=2 S=5003", 1, "the last of 5003 scores far above the rest", one_far_above_coarse,
     .cpu_only = true},
    {.dims = "T=0 S=3", .note = "no rows: LAB_ESHAPE"},
    {.dims = "T=3 S=0", .note = "no keys: LAB_ESHAPE"},
    {.dims = "T=3 S=13", .note = "tiny weights", .fill = small_shares, .unit = 1e-6f},
    // 48 KiB of shared memory hold 12288 floats.
    {"T=2 S=12301", 1, "more than 12288 keys", coarse_scores, .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "T=524301 S=1",
     .note = "half a million queries",
     .gpu_only = true,
     .launch_only = true},
    {MOST("T=2 S=1", "T")},
    {MOST("T=1 S=2", "S")},
    {TOO_LARGE("T=3 S=2", "T", "T")},
    {TOO_LARGE("T=3 S=2", "S", "S")},
    {.dims = "T=2 S=3",
     .fill = scores_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "T=2 S=3",
     .fill = scores_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {.dims = "T=65543 S=1",
     .fill = coarse_scores,
     .note = "65543 rows",
     .memory_only = true,
     .apart = true},
    {.dims = "T=1 S=65543",
     .fill = one_far_above_coarse,
     .note = "65543 keys",
     .memory_only = true,
     .apart = true},
    {0},
};

static void change_last_row(struct test_case *second, struct lab_rng *rng)
{
    size_t S = case_dim(second, "S");
    lab_rng_randn(rng, case_f32(second, "scores") + case_count(second, "scores") - S, S);
}

// BEGIN HANDED OUT
static bool other_rows_stay(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    const float *before = case_got(first, "weights");
    const float *after = case_got(second, "weights");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "weights") - S; i++) {
        if (before[i] != after[i]) {
            snprintf(why, why_size, "weights[%zu][%zu] went from %.9g to %.9g", i / S,
                     i % S, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static void lift_every_row(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    move_scores(second, 3.0f, -5.0f);
}

// BEGIN HANDED OUT
static bool weights_stay(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    const float *before = case_got(first, "weights");
    const float *after = case_got(second, "weights");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "weights"); i++) {
        // the scores themselves are rounded
        if (!(fabsf(before[i] - after[i]) <= 1e-5f)) {
            snprintf(why, why_size, "weights[%zu][%zu] went from %.9g to %.9g", i / S,
                     i % S, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool hidden_weigh_nothing(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    (void)first;
    const float *scores = case_input(second, "scores");
    const float *weights = case_got(second, "weights");
    size_t S = case_dim(second, "S");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (scores[i] == -INFINITY && weights[i] != 0.0f) {
            snprintf(why, why_size, "scores[%zu][%zu] is -inf, and its weight is %.9g",
                     i / S, i % S, (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property softmax_properties[] = {
    {
        .id = "single-key",
        .claim = "the only key of a row gets weight 1, whatever its score",
        .dims = "T=5 S=1",
        .change = lift_every_row,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "hidden-keys",
        .claim = "a score of -inf gets weight exactly 0",
        .dims = "T=4 S=5",
        .change = lift_every_row,
        HOLDS(hidden_weigh_nothing),
        .fill = some_keys_and_a_row_hidden,
    },
    {
        .id = "rows-alone",
        .claim = "changing the scores of the last row does not change the weights of "
                 "other rows",
        .dims = "T=4 S=5",
        .change = change_last_row,
        HOLDS(other_rows_stay),
    },
    {
        .id = "shift",
        .claim = "adding a number to all scores of a row does not change its weights",
        .dims = "T=4 S=5",
        .change = lift_every_row,
        HOLDS(weights_stay),
    },
    {0},
};

static const struct part softmax_parts[] = {
    {
        .function = "softmax_rows",
        .dims = "T S",
        .tensors = {{"weights", "T S", OUTPUT, F32, 1e-6f, 5e-6f},
                    {.name = "scores", .shape = "T S"}},
        .cases = softmax_cases,
        .properties = softmax_properties,
        .mistakes = softmax_mistakes,
        .alternatives = softmax_alternatives,
    },
    {0},
};

const struct exercise exercise_1_4 = {
    .id = "1.4",
    .name = "softmax_rows",
    .section = "1.4 Softmax",
    .gpu_section = "1.4 A block for each row",
    .hints =
        {
            "Process one row at a time, in three passes: find its maximum, compute the "
            "exponentials and their sum, divide. What does expf(1000) give? What can you "
            "subtract from every score of a row without changing the weights?",
            "weights[t,s] = exp(scores[t,s] - max_t) / sum over r of "
            "exp(scores[t,r] - max_t). If max_t is -INFINITY, the difference is NaN; "
            "write zeros to that row.",
            "In pseudocode:\n"
            "    for t below T:\n"
            "        max = the largest score of row t, starting from its first\n"
            "        if max == -INFINITY: write zeros to row t of weights; continue\n"
            "        sum = 0\n"
            "        for s below S: weights[t * S + s] = expf(scores[t * S + s] - max)\n"
            "                       sum += weights[t * S + s]\n"
            "        for s below S: weights[t * S + s] /= sum\n"
            "    return LAB_OK",
        },
    .gpu_hints =
        {
            "Each thread can find the maximum of every 128th key. Then 32 threads have "
            "one number each. How do they find the largest in 5 steps? How do 4 warps "
            "find theirs?",
            "value = max(value, __shfl_xor_sync(0xffffffff, value, distance)) for "
            "the distances 16, 8, 4, 2, 1: then all 32 lanes have the largest. "
            "Lane 0 of each warp writes it to shared memory; __syncthreads(); "
            "every thread reads all 4. Do the same for the sum, with another shared "
            "array (or one more barrier).",
            "In pseudocode:\n"
            "    max = -INFINITY\n"
            "    for s = threadIdx.x; s < S; s += 128: max = fmaxf(max, scores[s])\n"
            "    for distance in 16 8 4 2 1: max = fmaxf(max, __shfl_xor_sync(...))\n"
            "    if threadIdx.x % 32 == 0: maxima[threadIdx.x / 32] = max\n"
            "    __syncthreads(); max = the largest of maxima[0..3]\n"
            "    shift = max == -INFINITY ? 0 : max\n"
            "    the same for the sum of weights[s] = expf(scores[s] - shift)\n"
            "    for s = threadIdx.x ...: weights[s] = sum == 0 ? 0 : weights[s] / sum",
        },
    .parts = softmax_parts,
};
