// 03_rmsnorm.c - exercise 8.3, rmsnorm and rmsnorm_backward: cases, known mistakes and hints of
// the first; those of the second are in 03a_rmsnorm_backward.c.

#include "exercises/exercise.h"
#include "exercises/08/03_rmsnorm.h"
#include "exercises/08/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

// eps matters here: the mean square is a tenth of it.
static void fill_small(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1e-3f);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1e4f);
}

static void fill_large_gain(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "gain", LARGE);
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", TINY); // its squares fit a float
}

// A mean far from 0: code that subtracts it gets different numbers.
static void fill_offset(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_input(test, "x", 3.0f);
}

static void fill_zero(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 0.0f);
}

// The row of the handout's worked example, and then rows like it: the mean square is 12.5.
static void fill_by_hand(struct test_case *test, struct lab_rng *rng)
{
    static const float row[] = {1, 2, 3, 6};
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = row[i % 4] * (float)(1 + i / 4);
    }
    set_all(test, "gain", 1.0f);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "x");
    case_coarse(test, "gain");
}

// Their squares are 1 and 4, so that a long sum is exact in float, too, and so is a sum of C parts if C is a
// power of two.
static void fill_small_numbers(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_small(test, "x");
    case_coarse(test, "gain");
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "x")[case_dim(test, "C") + 2] = NAN;
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "x", 1);
    repeat_numbers(test, "gain", 2);
}

static const struct case_spec rmsnorm_cases[] = {
    {.dims = "N=1 C=1", .note = "one channel"},
    {.dims = "N=1 C=3"},
    {.dims = "N=2 C=4", .fill = fill_by_hand, .note = "1 2 3 6, with a gain of 1"},
    {.dims = "N=2 C=3"},
    {.dims = "N=4 C=4", .note = "as many rows as channels"},
    {.dims = "N=3 C=4", .fill = fill_zero, .note = "rows of zeros"},
    {.dims = "N=5 C=3", .fill = fill_offset, .note = "numbers around 3"},
    {.dims = "N=4 C=5", .fill = fill_small, .note = "numbers near 0.001: eps matters"},
    {.dims = "N=3 C=7", .fill = fill_large, .note = "numbers near 10000"},
    {.dims = "N=2..5 C=7..13", .draws = 3},
    {.dims = "N=11..13 C=5..9", .draws = 2, .fill = fill_offset},
    {.dims = "N=6 C=1", .note = "one channel"},
    {.dims = "N=3 C=67"},
    {.dims = "N=9 C=17", .fill = fill_small, .note = "numbers near 0.001: eps matters"},
    {.dims = "N=2 C=1031"},
    {.dims = "N=259 C=3"},
    {.dims = "N=1 C=1025"},
    {.dims = "N=67 C=130", .fill = fill_offset, .note = "larger"},
    {.dims = "N=256 C=3", .note = "exactly 256 rows"},
    {.dims = "N=2 C=1024", .note = "exactly 1024 channels"},
    {.dims = "N=64 C=64", .fill = fill_offset, .note = "N = C = 64"},
    {.dims = "N=2 C=3", .fill = fill_tiny, .unit = TINY, .note = TINY_NOTE},
    {.dims = "N=2 C=5", .fill = fill_large_gain, .note = "gains near 1e6"},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 C=12301",
     .fill = fill_wide,
     .note = "more than 12288 channels",
     .gpu_only = true},
    // A grid has at most 65535 blocks along y.
    {.dims = "N=65537 C=1", .note = "many rows", .gpu_only = true, .launch_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=524301 C=1",
     .note = "half a million rows",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=5003 C=2", .fill = fill_wide, .note = "5003 rows", .memory_only = true},
    {.dims = "N=1 C=8192",
     .fill = fill_small_numbers,
     .note = "8192 channels",
     .memory_only = true},
    {.dims = "N=3 C=4",
     .fill = fill_nan,
     .note = "a number of row 1 is NaN, and so is all of its result",
     .nan = true},
    {MOST("N=2 C=1", "N")},
    {MOST("N=1 C=2", "C")},
    {MORE_THAN_16_BITS("N=65543 C=1", repeated, "65543 rows")},
    {0},
};

static void change_last_row(struct test_case *second, struct lab_rng *rng)
{
    size_t C = case_dim(second, "C");
    lab_rng_randn(rng, case_f32(second, "x") + (case_dim(second, "N") - 1) * C, C);
}

// BEGIN HANDED OUT
static bool other_rows_stay(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    const float *before = case_got(first, "y"), *after = case_got(second, "y");
    size_t N = case_dim(first, "N"), C = case_dim(first, "C");
    for (size_t i = 0; i < (N - 1) * C; i++) {
        if (before[i] != after[i]) {
            snprintf(why, why_size,
                     "row %zu of x changed, and y[%zu][%zu] went from %.9g to %.9g",
                     N - 1, i / C, i % C, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property rmsnorm_properties[] = {
    {
        .id = "rows-are-alone",
        .claim = "changing one row leaves the other rows unchanged, bit for bit",
        .dims = "N=4 C=6",
        .change = change_last_row,
        HOLDS(other_rows_stay),
    },
    {0},
};

#define RMSNORM_ARGUMENTS                                                                \
    float *y, float *rrms, const float *x, const float *gain, size_t N, size_t C

// Values that a row may depend on: its mean and its mean square, those of the whole tensor, and
// the sum of its squares: also without the first, of the first LANES and of the last alone, and in an int.
struct row_means {
    double mean, square, all_square, sum, from_1, lanes, last, whole;
};

static struct row_means means_of(const float *x_n, double all_square, size_t C)
{
    struct row_means means = {.all_square = all_square};
    for (size_t c = 0; c < C; c++) {
        const double value = (double)x_n[c];
        means.mean += value / (double)C;
        means.square += value * value / (double)C;
        means.sum += value * value;
        means.from_1 += c > 0 ? value * value : 0.0;
        means.lanes += c < LANES ? value * value : 0.0;
        means.last = value * value;
        const float whole = truncf((float)means.whole + x_n[c] * x_n[c]);
        means.whole = (double)(whole >= 0x1p31f ? -0x1p31f : whole);
    }
    return means;
}

static double mean_square(const float *x, size_t count)
{
    double square = 0.0;
    for (size_t i = 0; i < count; i++) {
        square += (double)x[i] * (double)x[i] / (double)count;
    }
    return square;
}

// RMS(name, row, scale, stored, value): `row` is the row whose means are used (n for its own);
// `scale`, an expression of the means m, multiplies the numbers of a row; `stored` is written
// to rrms; `value` is an expression of v (the number), r (scale), g (its gain), n, c and m.
#define RMS(name, row, scale, stored, value)                                             \
    static lab_status name(RMSNORM_ARGUMENTS)                                            \
    {                                                                                    \
        if (N == 0 || C == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        struct row_means m = {0};                                                        \
        const double all = mean_square(x, N * C);                                        \
        for (size_t i = 0; i < N * C; i++) {                                             \
            const size_t n = i / C, c = i % C;                                           \
            if (c == 0) {                                                                \
                m = means_of(x + (row)*C, all, C);                                       \
            }                                                                            \
            const double r = scale, v = (double)x[i], g = (double)gain[c];               \
            (void)g, (void)v;                                                            \
            rrms[n] = (float)(stored);                                                   \
            y[i] = (float)(value);                                                       \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// SCALED(name, scale): all right except the scale.
#define SCALED(name, scale) RMS(name, n, scale, r, v *r *g)
#define RIGHT_SCALE (1 / sqrt(m.square + (double)RMSNORM_EPS))

RMS(rmsnorm_layernorm, n, 1 / sqrt(m.square - m.mean * m.mean + (double)RMSNORM_EPS), r,
    (v - m.mean) * r * g)
RMS(rmsnorm_mean_subtracted, n, RIGHT_SCALE, r, (v - m.mean) * r * g)
SCALED(rmsnorm_variance, 1 / sqrt(m.square - m.mean * m.mean + (double)RMSNORM_EPS))
SCALED(rmsnorm_eps_outside, 1 / (sqrt(m.square) + (double)RMSNORM_EPS))
SCALED(rmsnorm_eps_in_sum, 1 / sqrt((m.sum + (double)RMSNORM_EPS) / (double)C))
SCALED(rmsnorm_eps_floor, 1 / sqrt(fmax(m.square, (double)RMSNORM_EPS)))
SCALED(rmsnorm_no_eps, 1 / sqrt(m.square))
SCALED(rmsnorm_eps_1e6, 1 / sqrt(m.square + 1e-6))
SCALED(rmsnorm_eps_1e8, 1 / sqrt(m.square + 1e-8))
SCALED(rmsnorm_sum, 1 / sqrt(m.sum + (double)RMSNORM_EPS))
SCALED(rmsnorm_from_1, 1 / sqrt(m.from_1 / (double)C + (double)RMSNORM_EPS))
SCALED(rmsnorm_first_lanes, 1 / sqrt(m.lanes / (double)C + (double)RMSNORM_EPS))
SCALED(rmsnorm_last_term, 1 / sqrt(m.last / (double)C + (double)RMSNORM_EPS))
SCALED(rmsnorm_whole_sum, 1 / sqrt(m.whole / (double)C + (double)RMSNORM_EPS))
SCALED(rmsnorm_C_minus_1, 1 / sqrt(m.sum / ((double)C - 1) + (double)RMSNORM_EPS))
SCALED(rmsnorm_no_root, 1 / (m.square + (double)RMSNORM_EPS))
SCALED(rmsnorm_whole_tensor, 1 / sqrt(m.all_square + (double)RMSNORM_EPS))
SCALED(rmsnorm_root_times_C, (double)C / sqrt(m.sum + (double)RMSNORM_EPS))
SCALED(rmsnorm_multiplied, sqrt(m.square + (double)RMSNORM_EPS))
RMS(rmsnorm_no_gain, n, RIGHT_SCALE, r, v *r)
RMS(rmsnorm_gain_plus_1, n, RIGHT_SCALE, r, v *r *(1 + g))
RMS(rmsnorm_gain_by_row, n, RIGHT_SCALE, r, v *r *(double)gain[n % C])
RMS(rmsnorm_first_row, 0, RIGHT_SCALE, r, v *r *g)
RMS(rmsnorm_stores_rms, n, RIGHT_SCALE, 1 / r, v *r *g)
RMS(rmsnorm_stores_square, n, RIGHT_SCALE, m.square, v *r *g)

// The squares of one channel over all rows, as in a batch norm.
static lab_status rmsnorm_columns(RMSNORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t c = 0; c < C; c++) {
        double square = 0;
        for (size_t n = 0; n < N; n++) {
            square += (double)x[n * C + c] * (double)x[n * C + c] / (double)N;
        }
        const double r = 1 / sqrt(square + (double)RMSNORM_EPS);
        for (size_t n = 0; n < N; n++) {
            rrms[n] = (float)r;
            y[n * C + c] = (float)((double)x[n * C + c] * r * (double)gain[c]);
        }
    }
    return LAB_OK;
}

// The sum goes on from row to row.
static lab_status rmsnorm_sum_goes_on(RMSNORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    double sum = 0;
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            sum += (double)x[n * C + c] * (double)x[n * C + c];
        }
        const double r = 1 / sqrt(sum / (double)C + (double)RMSNORM_EPS);
        rrms[n] = (float)r;
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)((double)x[n * C + c] * r * (double)gain[c]);
        }
    }
    return LAB_OK;
}

// On a GPU: only so many neighboring lanes of a warp share their sums along a row.
static lab_status rmsnorm_sharing(size_t lanes, RMSNORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N * C; i++) {
        double sum = 0;
        for (size_t c = 0; c < C; c++) {
            const bool shared = c % LANES / lanes == i % C % LANES / lanes;
            const double number = shared ? (double)x[i / C * C + c] : 0.0;
            sum += number * number;
        }
        const double r = 1 / sqrt(sum / (double)C + (double)RMSNORM_EPS);
        y[i] = (float)((double)x[i] * r * (double)gain[i % C]);
        if (i % C == 0) {
            rrms[i / C] = (float)r;
        }
    }
    return LAB_OK;
}

static lab_status rmsnorm_own_lane(RMSNORM_ARGUMENTS)
{
    return rmsnorm_sharing(1, y, rrms, x, gain, N, C);
}

static lab_status rmsnorm_half_warp(RMSNORM_ARGUMENTS)
{
    return rmsnorm_sharing(LANES / 2, y, rrms, x, gain, N, C);
}

#define NO_MEAN_WHY                                                                      \
    "RMSNorm is layer norm without the mean: divide by the root of the mean of the "     \
    "squares, and subtract nothing."

static const struct mistake rmsnorm_mistakes[] = {
    {
        .id = "layernorm",
        .what = "this is layer norm without a bias",
        .why = NO_MEAN_WHY,
        .source = "stanford-cs336/assignment1-basics#93",
        .function = LIKE(rmsnorm, rmsnorm_layernorm),
    },
    {
        .id = "mean-subtracted",
        .what = "the mean is subtracted before the division",
        .why = NO_MEAN_WHY,
        .source = "stanford-cs336/assignment1-basics#93",
        .function = LIKE(rmsnorm, rmsnorm_mean_subtracted),
    },
    {
        .id = "variance",
        .what = "the numbers are divided by the standard deviation",
        .why = "The variance is the mean square of the distances from the mean. RMSNorm "
               "takes the mean square of the numbers themselves.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_variance),
    },
    {
        .id = "eps-outside",
        .what = "eps is added outside the root",
        .why =
            "rrms = 1 / sqrt(mean square + RMSNORM_EPS): eps belongs under the root. For "
            "small numbers the results differ by a factor of several.",
        .source = "allenai/OLMo#281, EleutherAI/gpt-neox#1342",
        .function = LIKE(rmsnorm, rmsnorm_eps_outside),
    },
    {
        .id = "eps-in-the-sum",
        .what = "eps is added to the sum of the squares, before the division by C",
        .why = "rrms = 1 / sqrt(mean square + RMSNORM_EPS): divide by C first, then add "
               "eps.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_eps_in_sum),
    },
    {
        .id = "eps-as-a-floor",
        .what = "eps is a lower limit of the mean square, not added to it",
        .why =
            "rrms = 1 / sqrt(mean square + RMSNORM_EPS): add eps, whatever the mean square is.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_eps_floor),
    },
    {
        .id = "no-eps",
        .what = "eps is missing",
        .why = "Without it a row of zeros becomes 0/0, which is NaN: add 1e-5 under the "
               "root.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_no_eps),
    },
    {
        .id = "eps-1e-6",
        .what = "eps is 1e-6",
        .why = "Some models use 1e-6. In this lab eps is 1e-5, as in layer norm.",
        .source = "OpenNMT/CTranslate2#1357",
        .function = LIKE(rmsnorm, rmsnorm_eps_1e6),
        .convention = true,
    },
    {
        .id = "eps-1e-8",
        .what = "eps is 1e-8",
        .why =
            "The original RMSNorm code uses 1e-8. In this lab eps is 1e-5, as in layer "
            "norm.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_eps_1e8),
        .convention = true,
    },
    {
        .id = "whole-sum",
        .what = "the sum of the squares is an integer",
        .why = "An int drops the fraction at every addition. Sum in float or double.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_whole_sum),
    },
    {
        .id = "sum-is-last",
        .what = "only the square of the last channel counts",
        .why = "= replaces the sum with the newest square; += adds it.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_last_term),
    },
    {
        .id = "from-1",
        .what = "channel 0 is not in the mean square",
        .why = "The loop over the channels begins at 0.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_from_1),
    },
    {
        .id = "sum-not-mean",
        .what = "the root is of the sum of the squares, not of their mean",
        .why = "Divide the sum by C before you take the root. Otherwise every row has "
               "length 1 instead of sqrt(C).",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_sum),
    },
    {
        .id = "C-minus-1",
        .what = "the sum of the squares is divided by C - 1",
        .why = "The mean of C squares is their sum divided by C.",
        .source = "harvardnlp/annotated-transformer#119, #122",
        .function = LIKE(rmsnorm, rmsnorm_C_minus_1),
    },
    {
        .id = "no-root",
        .what = "the root is missing: the numbers are divided by the mean square",
        .why = "rrms = 1 / sqrt(mean square + RMSNORM_EPS).",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_no_root),
    },
    {
        .id = "multiplied",
        .what = "the numbers are multiplied by the root mean square",
        .why =
            "Divide by it, or multiply by its reciprocal: rrms = 1 / sqrt(mean square + "
            "RMSNORM_EPS).",
        .source = "mosaicml/llm-foundry#371",
        .function = LIKE(rmsnorm, rmsnorm_multiplied),
    },
    {
        .id = "C-outside-the-root",
        .what = "the sum of the squares is divided by C after the root, not before",
        .why = "The mean comes first, then the root: sqrt(sum / C + RMSNORM_EPS).",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_root_times_C),
    },
    {
        .id = "no-gain",
        .what = "the gain is missing",
        .why = "y[n][c] = x[n][c] rrms[n] gain[c].",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_no_gain),
    },
    {
        .id = "gain-plus-1",
        .what = "the numbers are multiplied by 1 + gain",
        .why = "Gemma's weights are stored that way. Here the gain itself is the factor.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_gain_plus_1),
        .convention = true,
    },
    {
        .id = "gain-by-row",
        .what = "the gain is indexed by row: gain[n] instead of gain[c]",
        .why = "The gain has one number for each channel, the same for all rows.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_gain_by_row),
    },
    {
        .id = "sum-not-reset",
        .what = "the sum of the squares is not set to 0 before each row",
        .why = "It must start at 0 in every row; here it goes on from the rows before.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_sum_goes_on),
    },
    {
        .id = "whole-tensor",
        .what = "the mean square is that of all rows together",
        .why = "Each row has its own: the sum starts at 0 in every row.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_whole_tensor),
    },
    {
        .id = "over-rows",
        .what = "the mean square is taken down the columns",
        .why = "Each row (a token) is normalized alone, over its C channels.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#17",
        .function = LIKE(rmsnorm, rmsnorm_columns),
    },
    {
        .id = "first-row",
        .what = "every row is divided by the root mean square of the first",
        .why = "Each row has its own; row n begins at x + n * C.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_first_row),
    },
    {
        .id = "rms-stored",
        .what = "rrms holds the root mean square, not its reciprocal",
        .why = "The backward pass multiplies by rrms[n] = 1 / sqrt(mean square + "
               "RMSNORM_EPS).",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_stores_rms),
    },
    {
        .id = "square-stored",
        .what = "rrms holds the mean square",
        .why = "The backward pass multiplies by rrms[n] = 1 / sqrt(mean square + "
               "RMSNORM_EPS).",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_stores_square),
    },
    {
        .id = "own-lane",
        .what = "every thread uses its own channels as if they were the whole row",
        .why = "A lane has added up only every 32nd channel. __shfl_xor_sync with 16, 8, "
               "4, 2 and 1 gives every lane the sum of all lanes.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_own_lane),
        .gpu = true,
    },
    {
        .id = "first-channels",
        .what = "only the first 32 channels are in the sum of the squares",
        .why =
            "A lane has more than one channel: for (c = threadIdx.x; c < C; c += WARP), "
            "not if (threadIdx.x < C).",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_first_lanes),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the sum along a row is that of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the sums of only 16 lanes.",
        .source = NULL,
        .function = LIKE(rmsnorm, rmsnorm_half_warp),
        .gpu = true,
    },
    {0},
};

SCALED(rmsnorm_in_double, RIGHT_SCALE)

static lab_status rmsnorm_in_float(RMSNORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t c = C; c-- > 0;) {
            sum += x[n * C + c] * x[n * C + c] / (float)C;
        }
        const float rms = sqrtf(sum + RMSNORM_EPS);
        rrms[n] = 1.0f / rms;
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = gain[c] * (x[n * C + c] / rms);
        }
    }
    return LAB_OK;
}

static const struct mistake rmsnorm_alternatives[] = {
    {.id = "in-double", .function = LIKE(rmsnorm, rmsnorm_in_double)},
    {.id = "in-float", .function = LIKE(rmsnorm, rmsnorm_in_float)},
    {0},
};

static const struct part rmsnorm_part[] = {
    {
        .function = "rmsnorm",
        .dims = "N C",
        .tensors =
            {
                {"y", "N C", OUTPUT, F32, 2e-6f, 1e-5f},
                {"rrms", "N", OUTPUT, F32, 1e-6f, 1e-5f},
                {"x", "N C", INPUT, F32, 0, 0},
                {"gain", "C", INPUT, F32, 0, 0},
            },
        .cases = rmsnorm_cases,
        .properties = rmsnorm_properties,
        .mistakes = rmsnorm_mistakes,
        .alternatives = rmsnorm_alternatives,
    },
    {
        .function = "rmsnorm_backward",
        .dims = "N C",
        .tensors =
            {
                {"dx", "N C", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dgain", "C", UPDATED, F32, 1e-5f, 2e-5f},
                {"dy", "N C", INPUT, F32, 0, 0},
                {"x", "N C", INPUT, F32, 0, 0},
                {"rrms", "N", INPUT, F32, 0, 0},
                {"gain", "C", INPUT, F32, 0, 0},
            },
        .cases = rmsnorm_backward_cases,
        .mistakes = rmsnorm_backward_mistakes,
        .alternatives = rmsnorm_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_8_3 = {
    .id = "8.3",
    .name = "rmsnorm and rmsnorm_backward",
    .section = "8.3 RMSNorm",
    .hints =
        {
            "Take layer norm and leave out the mean, forward and backward. Which number "
            "do all channels of a row still share?",
            "rrms = 1 / sqrt(mean of x^2 + RMSNORM_EPS), y = x rrms gain. Backward: norm "
            "= x rrms, dnorm = dy gain, dx = rrms (dnorm - norm * mean of (dnorm norm)), "
            "dgain += dy norm.",
            "forward, for each row:\n"
            "    sum = 0; for each c: sum += x[c] * x[c]\n"
            "    rrms[n] = 1 / sqrtf(sum / C + RMSNORM_EPS)\n"
            "    for each c: y[c] = x[c] * rrms[n] * gain[c]\n"
            "backward, for each row, r = rrms[n]:\n"
            "    mean = 0; for each c: mean += dy[c] * gain[c] * x[c] * r / C\n"
            "    for each c: dgain[c] += dy[c] * x[c] * r\n"
            "        dx[c] = r * (dy[c] * gain[c] - x[c] * r * mean)",
        },
    .gpu_hints =
        {
            "Forward and dx sum along a row, and dgain sums down a column. So you need "
            "three kernels.",
            "Forward and dx: a warp for each row, with one sum by shuffles each. dgain: "
            "like the gain of 6.8, with the sum of dy x rrms, added to the old value.",
            "kernel 1, row n: sum of x^2 over the lanes; r = rsqrtf(sum / C + "
            "RMSNORM_EPS)\n"
            "    y = x * r * gain; one lane writes rrms_dev[n]\n"
            "kernel 2, row n: mean = (sum of dy gain x rrms over the lanes) / C\n"
            "    dx = rrms * (dy * gain - x * rrms * mean)\n"
            "kernel 3, column c: each warp of the block adds dy * x * rrms[n] of its "
            "rows,\n"
            "    writes its sum to shared memory; barrier; warp 0 adds the sums to"
            " dgain_dev",
        },
    .parts = rmsnorm_part,
};
