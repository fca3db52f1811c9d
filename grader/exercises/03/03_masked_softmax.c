// 03_masked_softmax.c - exercise 3.3, masked_softmax: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/03/03_masked_softmax.h"
#include "exercises/03/shared.h"
#include "exercises/common/inputs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "03_causal_mask/causal.h"
#include "common/rng.h"

// Every row has an allowed key and, with more than one key, a forbidden key. Other cases
// have rows without an allowed key.
static void fill_mixed_rows(struct test_case *test, struct lab_rng *rng)
{
    size_t N = case_dim(test, "N"), S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t n = 0; n < N; n++) {
        size_t allowed = lab_rng_next32(rng) % S;
        mask[n * S + (allowed + 1) % S] = 0;
        mask[n * S + allowed] = 1;
    }
}

static void fill_all_allowed(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    memset(case_u8(test, "mask"), 1, case_count(test, "mask"));
}

// The first row sees nothing, as under a causal mask with T > S.
static void fill_first_row_masked(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    memset(case_u8(test, "mask"), 0, case_dim(test, "S"));
}

static void fill_all_masked(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    memset(case_u8(test, "mask"), 0, case_count(test, "mask"));
}

// Scores far from zero with ordinary differences: only the differences may matter.
static void fill_far_below(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    shift_input(test, "scores", -20000.0f);
}

static void fill_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    shift_input(test, "scores", 20000.0f);
}

static void fill_millions_below(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    whole_steps_from(test, -1e7f);
}

// Low enough for a search that starts at 0, but not for one that starts at -100 or at -10000.
static void fill_150_below(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    shift_input(test, "scores", -150.0f);
}

static void fill_millions_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    whole_steps_from(test, 1e7f);
}

// In each row, one allowed score is 2000 above the rest: the first, the last, the middle
// one, then one that belongs to a different lane of a warp in each row. If the maximum
// misses that score, exp overflows, even in double.
static void fill_one_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    size_t S = case_dim(test, "S");
    const size_t first[] = {0, S - 1, S / 2};
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const size_t place = n < 3 ? first[n] : 41 * n % S;
        case_f32(test, "scores")[n * S + place] += 2000.0f;
        case_u8(test, "mask")[n * S + place] = 1;
    }
}

static void fill_one_far_above_coarse(struct test_case *test, struct lab_rng *rng)
{
    coarse_scores(test, rng);
    fill_one_far_above(test, rng);
}

// One allowed score above many others, by 11 in row 0 and by 1.5 more in each later row.
// Each of the others gets almost no weight, but together they get a visible share. Every
// eighth is forbidden.
static void fill_small_terms(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        size_t n = i / S, s = i % S;
        scores[i] = 0.25f * scores[i] - 11.0f - 1.5f * (float)n;
        mask[i] = s % 8 != 3;
        if (s == 37 * n % S) {
            scores[i] = 0.0f;
            mask[i] = 1;
        }
    }
}

// Only key 2, or the last key, is allowed.
static void fill_one_allowed(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        mask[i] = i % S == (i / S % 2 == 0 ? 2 : S - 1);
    }
}

static void lift_forbidden(struct test_case *test, float by)
{
    float *scores = case_f32(test, "scores");
    const uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] += mask[i] ? 0.0f : by;
    }
}

// Without the mask, the forbidden keys get all the weight.
static void fill_forbidden_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    lift_forbidden(test, 20.0f);
}

// If a forbidden score enters the maximum, the allowed exponentials underflow. If a
// forbidden exponential is computed and then multiplied by 0, it is infinite, and
// infinity times 0 is NaN. Key 0 is allowed, so a search that starts there finds the
// right maximum.
static void fill_forbidden_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    const size_t S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        mask[n * S] = 1;
        mask[n * S + 1 + n % (S - 1)] = 0;
    }
    lift_forbidden(test, 200.0f);
}

// Just enough for an exponential to overflow in float, but not so much that one of the
// opposite sign becomes 0. So different mistakes with forbidden scores give different
// results. Key 1 is forbidden.
static void fill_forbidden_89_above(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        mask[i] = i % S != 1;
        scores[i] = mask[i] ? -0.25f * (float)(i % 4) : 89.5f;
    }
}

// Scores beyond any int, of both signs. In each row, one allowed key has a positive
// score, and no forbidden score is above it. Other cases have larger forbidden scores.
static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    float *scores = case_f32(test, "scores");
    const size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        const float size = 1e30f * (1.0f + fabsf(scores[i]));
        const bool diagonal = i % S == i / S % S;
        const bool positive = case_u8(test, "mask")[i] && scores[i] > 0.0f;
        scores[i] = diagonal || positive ? size : -size;
        if (diagonal) {
            case_u8(test, "mask")[i] = 1;
        }
    }
}

// In each row, the score above the lowest ones is allowed. A larger one is forbidden, and so is one near FLT_MAX. So no
// finite number in place of -INFINITY, or added to forbidden scores, is low enough, except -FLT_MAX in place.
static void fill_lowest(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        const float values[] = {-3.4e38f, nextafterf(-FLT_MAX, 0.0f), 0x1.fp127f,
                                -FLT_MAX};
        const size_t step = (i / S + i % S) % S;
        case_f32(test, "scores")[i] = values[step < 3 ? step : 3];
        case_u8(test, "mask")[i] = step != 0 && step != 2;
    }
}

// All scores of a row are equal, so its weights are equal, too. Those of row 2, which allows every key, are a number
// that many take for "no key".
static void fill_equal(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    const size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        case_f32(test, "scores")[i] = i / S == 2 ? -1e9f : 1.5f * (float)(i / S);
        case_u8(test, "mask")[i] |= i / S == 2;
    }
}

// Only key 0 is forbidden, and its score is far above the others: the search must not
// start there.
static void fill_first_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_all_allowed(test, rng);
    const size_t S = case_dim(test, "S");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_u8(test, "mask")[n * S] = 0;
    }
    lift_forbidden(test, 200.0f);
}

// The allowed scores lie near a million below 0, the forbidden ones a million above.
static void fill_forbidden_millions_above(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    whole_steps_from(test, -1e6f);
    lift_forbidden(test, 2e6f);
}

static void fill_limits(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    scores_at_limits(test, rng);
}

static void fill_coarse(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_rows(test, rng);
    coarse_scores(test, rng);
}

// The handout's example: the allowed scores are 0 and 1, and a forbidden score is 200, in
// each of the places.
static void fill_handout_200(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        const size_t n = i / 3, s = i % 3;
        case_u8(test, "mask")[i] = s != n;
        scores[i] = s == n ? 200.0f : s == (n + 1) % 3 ? 0.0f : 1.0f;
    }
}

// Whole numbers from -12 to 0: the smallest weight is e^-12 = 6e-6, and must be right to
// five digits.
static void fill_small_shares(struct test_case *test, struct lab_rng *rng)
{
    fill_all_allowed(test, rng);
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = -(float)(i * 5 % 13);
    }
}

static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    fill_all_allowed(test, rng);
    scores_20_below(test, rng);
}

static void fill_80_below(struct test_case *test, struct lab_rng *rng)
{
    fill_all_allowed(test, rng);
    scores_80_below(test, rng);
}

static const struct case_spec masked_softmax_cases[] = {
    {.dims = "N=1 S=1", .fill = fill_all_allowed, .note = "one key: its weight is 1"},
    {.dims = "N=1 S=2", .fill = fill_mixed_rows},
    {.dims = "N=1 S=3", .fill = fill_mixed_rows},
    {.dims = "N=2 S=3", .fill = fill_mixed_rows},
    {.dims = "N=3 S=2", .fill = fill_all_allowed, .note = "every key allowed"},
    {.dims = "N=1 S=4",
     .fill = fill_all_masked,
     .note = "no key allowed: weights are zeros"},
    {.dims = "N=3 S=4",
     .fill = fill_first_row_masked,
     .note = "row 0 has no allowed key"},
    {.dims = "N=3 S=5", .fill = fill_far_below, .note = "scores near -20000"},
    {.dims = "N=4 S=5", .fill = fill_far_above, .note = "scores near +20000"},
    {.dims = "N=4 S=6",
     .fill = fill_forbidden_above,
     .note = "forbidden scores are 20 larger"},
    {.dims = "N=3 S=3",
     .fill = fill_handout_200,
     .note = "allowed scores 0 and 1, a forbidden score 200"},
    {.dims = "N=4 S=5",
     .fill = fill_forbidden_far_above,
     .note = "forbidden scores are 200 larger"},
    {.dims = "N=2 S=5",
     .fill = fill_forbidden_89_above,
     .note = "a forbidden score is 89.5 larger"},
    {.dims = "N=3 S=6",
     .fill = fill_forbidden_millions_above,
     .note = "forbidden scores are 2 million larger"},
    {.dims = "N=3 S=7", .fill = fill_limits, .note = LIMITS_NOTE},
    {.dims = "N=3 S=4", .fill = fill_huge, .note = "scores near 1e30 and -1e30"},
    {.dims = "N=3 S=5",
     .fill = fill_lowest,
     .note = "allowed scores below -3.402823e38, one of each row 2e31 larger"},
    {.dims = "N=3 S=6", .fill = fill_equal, .note = "all scores of a row are equal"},
    {.dims = "N=2 S=4",
     .fill = fill_first_far_above,
     .note = "key 0 is forbidden, and its score is 200 larger"},
    {.dims = "N=7 S=4", .fill = fill_mixed_rows},
    {.dims = "N=5 S=5", .fill = fill_mixed_rows, .note = "N = S"},
    {.dims = "N=2..9 S=10..19", .draws = 3, .fill = fill_mixed_rows},
    {.dims = "N=13 S=67", .fill = fill_mixed_rows},
    {.dims = "N=3 S=5",
     .fill = fill_millions_below,
     .note = "whole numbers near -10000000"},
    {.dims = "N=4 S=5",
     .fill = fill_millions_above,
     .note = "whole numbers near +10000000"},
    {.dims = "N=6 S=5",
     .fill = fill_one_far_above,
     .note = "one score of each row far above the rest"},
    {.dims = "N=9 S=521",
     .fill = fill_one_far_above,
     .note = "one score of each row far above the rest"},
    {.dims = "N=4 S=61", .fill = fill_small_terms, .note = "many small terms"},
    {.dims = "N=67 S=71", .fill = fill_mixed_rows, .note = "all sizes past 64"},
    {.dims = "N=521 S=131", .fill = fill_mixed_rows, .note = "more than 512 rows"},
    {.dims = "N=131 S=521", .fill = fill_mixed_rows, .note = "more than 512 keys"},
    {.dims = "N=1 S=1031", .fill = fill_coarse, .note = "more than 1024 keys"},
    {.dims = "N=4 S=1", .fill = fill_first_row_masked, .note = "one key"},
    {.dims = "N=256 S=64", .fill = fill_mixed_rows, .note = "exactly 256 rows"},
    {.dims = "N=2 S=1024", .fill = fill_coarse, .note = "exactly 1024 keys"},
    {.dims = "N=3 S=1024",
     .fill = fill_one_far_above,
     .note = "one score of each row far above the rest"},
    {.dims = "N=2 S=5003",
     .fill = fill_one_far_above_coarse,
     .note = "the last of 5003 scores far above the rest",
     .cpu_only = true},
    {.dims = "N=0 S=3", .note = "a size of 0"},
    {.dims = "N=3 S=0", .note = "a size of 0"},
    {.dims = "N=3 S=13",
     .note = "tiny weights",
     .fill = fill_small_shares,
     .unit = 1e-6f},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 S=12301",
     .fill = fill_coarse,
     .note = "more than 12288 keys",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=524301 S=1",
     .fill = fill_all_allowed,
     .note = "half a million rows",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=3 S=6", .draws = 2, .fill = fill_150_below, .note = "scores near -150"},
    {MOST("N=2 S=1", "N")},
    {MOST("N=1 S=2", "S")},
    {TOO_LARGE("N=2 S=3", "N", "N")},
    {TOO_LARGE("N=2 S=3", "S", "S")},
    {.dims = "N=2 S=3",
     .fill = fill_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "N=2 S=3",
     .fill = fill_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {.dims = "N=65543 S=1",
     .fill = fill_coarse,
     .note = "65543 rows",
     .memory_only = true,
     .apart = true},
    {.dims = "N=1 S=65543",
     .fill = fill_one_far_above_coarse,
     .note = "65543 keys",
     .memory_only = true,
     .apart = true},
    {0},
};

// Forbidden scores change sign and grow.
static void change_forbidden(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(second, "scores");
    const uint8_t *mask = case_u8(second, "mask");
    for (size_t i = 0; i < case_count(second, "scores"); i++) {
        if (mask[i] == 0) {
            scores[i] *= -3.0f;
        }
    }
}

// BEGIN HANDED OUT
// Absolute and relative tolerance of the outputs that have properties.
#define SOFTMAX_TOLERANCE 1e-6f, 5e-6f // weights of 3.3

// A forbidden key's weight is exactly 0, not a small number.
static bool forbidden_weigh_nothing(const struct test_case *test, char *why,
                                    size_t why_size)
{
    const uint8_t *mask = case_u8((struct test_case *)test, "mask"); // only read
    const float *weights = case_got(test, "weights");
    size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        if (mask[i] == 0 && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "key %zu is forbidden in row %zu, but weights[%zu][%zu] is %.9g, "
                     "not 0",
                     i % S, i / S, i / S, i % S, (double)weights[i]);
            return false;
        }
    }
    return true;
}

static bool forbidden_do_not_matter(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    if (!forbidden_weigh_nothing(first, why, why_size) ||
        !forbidden_weigh_nothing(second, why, why_size)) {
        return false;
    }
    const float *before = case_got(first, "weights");
    const float *after = case_got(second, "weights");
    size_t S = case_dim(first, "S");
    for (size_t i = 0; i < case_count(first, "weights"); i++) {
        if (!stays(before[i], after[i], SOFTMAX_TOLERANCE)) {
            snprintf(why, why_size,
                     "forbidden scores changed, and weights[%zu][%zu] went from %.9g "
                     "to %.9g",
                     i / S, i % S, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static void move_all_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    shift_input(second, "scores", 5.0f);
}

// BEGIN HANDED OUT
static bool allowed_take_all(const struct test_case *first,
                             const struct test_case *second, char *why, size_t why_size)
{
    (void)first;
    const uint8_t *mask = case_u8((struct test_case *)second, "mask"); // only read
    const float *weights = case_got(second, "weights");
    size_t S = case_dim(second, "S");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (mask[i] != 0 && !(fabsf(weights[i] - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "weights[%zu][%zu] is %.9g: is something added to the sum, "
                     "such as 1e-6?",
                     i / S, i % S, (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property masked_softmax_properties[] = {
    {
        .id = "single-key",
        .claim = "the only allowed key of a row gets weight 1, whatever its score",
        .dims = "N=4 S=5",
        .change = move_all_scores,
        HOLDS(allowed_take_all),
        .fill = fill_one_allowed,
    },
    {
        .id = "forbidden-keys-do-not-matter",
        .claim = "a forbidden key has weight exactly 0, and changing its score does not "
                 "change any weight",
        .dims = "N=5 S=9",
        .change = change_forbidden,
        HOLDS(forbidden_do_not_matter),
        .fill = fill_first_row_masked,
    },
    {0},
};

static const struct part masked_softmax_part[] = {
    {
        .function = "masked_softmax",
        .dims = "N S",
        .tensors =
            {
                {"weights", "N S", OUTPUT, F32, SOFTMAX_TOLERANCE},
                {"scores", "N S", INPUT, F32, 0, 0},
                {"mask", "N S", INPUT, U8, 0, 0},
            },
        .cases = masked_softmax_cases,
        .properties = masked_softmax_properties,
        .mistakes = masked_softmax_mistakes,
        .alternatives = masked_softmax_alternatives,
    },
    {0},
};

const struct exercise exercise_3_3 = {
    .id = "3.3",
    .name = "masked_softmax",
    .section = "3.3 Softmax over the allowed keys",
    .gpu_section = "3.3 Two steps in one kernel, and a warp for each row",
    .hints =
        {
            "This is the softmax of lab 1, row by row, with a test for every key: is it "
            "allowed? What is the maximum of a row without an allowed key?",
            "Three passes over each row: the largest ALLOWED score m (start at "
            "-INFINITY); exp(score - m) for allowed keys, 0 for the others, and "
            "their sum; divide by the sum. If m is still -INFINITY after pass 1, "
            "write zeros.",
            "for each row n:\n"
            "    m = -INFINITY\n"
            "    for each s: if mask and score > m: m = score\n"
            "    if m == -INFINITY: the row is zeros; next row\n"
            "    sum = 0\n"
            "    for each s: w[s] = mask ? expf(score - m) : 0; sum += w[s]\n"
            "    for each s: w[s] /= sum",
        },
    .gpu_hints =
        {
            "The 32 threads of a warp can exchange numbers without shared memory and "
            "without a barrier. __shfl_xor_sync(0xffffffff, ...) needs all 32. What does "
            "that mean for a block's last rows?",
            "n = blockIdx.x * ROWS + threadIdx.y; the whole warp returns if n >= N. Lane "
            "threadIdx.x handles the keys s = threadIdx.x, + 32, + 64 ...: largest "
            "allowed score, shuffles; exp or 0, sum, shuffles; divide, or zeros if "
            "nothing was allowed.",
            "max = -INFINITY\n"
            "for s = lane; s < S; s += 32: if mask[s]: max = fmaxf(max, scores[s])\n"
            "for distance in 16 8 4 2 1: max = fmaxf(max, __shfl_xor_sync(...))\n"
            "shift = max == -INFINITY ? 0 : max\n"
            "for s ...: w = mask[s] ? expf(scores[s] - shift) : 0; weights[s] = w; sum += w\n"
            "for distance ...: sum += __shfl_xor_sync(...)\n"
            "for s ...: weights[s] *= sum == 0 ? 0 : 1 / sum",
        },
    .parts = masked_softmax_part,
};
