// 01_layernorm.c - exercise 5.1, layernorm: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/01_layernorm.h"
#include "exercises/05/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>

#include "05_transformer_block/block.h"
#include "common/rng.h"

// Makes eps matter: at unit scale it changes the fifth digit; here it is ten times the
// variance.
static void fill_small(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1e-3f);
}

// Whole numbers, so that every way of adding them up is exact. But a running mean rounds each of
// its steps; of larger numbers, it would be too far off where the mean is near 0.
static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = rintf(5.0f * x[i]);
    }
}

// In a row of few channels the numbers may happen to be nearly equal, and then rounding errors
// grow by 1 / (their standard deviation). This function spaces the numbers of each row at least
// half apart.
static void spread_rows(struct test_case *test)
{
    const size_t C = case_dim(test, "C");
    float *x = case_f32(test, "x");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float low = x[n * C], high = low;
        for (size_t c = 1; c < C; c++) {
            low = fminf(low, x[n * C + c]);
            high = fmaxf(high, x[n * C + c]);
        }
        x[n * C] += high - low < 0.5f ? 1.0f : 0.0f;
    }
}

static void fill_offset(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    spread_rows(test);
    shift_input(test, "x", 3.0f);
}

static void fill_spread(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    spread_rows(test);
}

// Rows 1, 2, 4, 5 times 2^-60, 2^-20, 2^20 and 2^40. With the smaller ones, only eps counts.
static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    static const float row[] = {1, 2, 4, 5};
    static const int powers[] = {-60, -20, 20, 40};
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = ldexpf(row[i % 4], powers[i / 4 % 4]);
    }
    make_whole(test, "gain");
    set_all(test, "bias", 0.0f);
}

// The mean of each row is 3, no number is near it, and only the gain makes y small or large.
static void fill_two_gains(struct test_case *test, struct lab_rng *rng)
{
    static const float row[] = {1, 2, 4, 5};
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = row[i % 4];
    }
    columns_of_two_sizes(test, "gain", 4);
    set_all(test, "bias", 0.0f);
}

// The row of the handout's worked example, and then rows like it.
static void fill_by_hand(struct test_case *test, struct lab_rng *rng)
{
    static const float row[] = {1, 2, 3, 6};
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = row[i % 4] * (float)(1 + i / 4);
    }
    for (size_t c = 0; c < case_dim(test, "C"); c++) {
        case_f32(test, "gain")[c] = 1.0f;
        case_f32(test, "bias")[c] = 0.0f;
    }
}

// Multiples of 1/16, alternately above and below 1000, so that every sum of them is exact.
// Their squares are near 1000000, where floats are 0.06 apart: the mean of the squares minus
// the square of the mean loses the variance.
static void fill_near_1000(struct test_case *test, struct lab_rng *rng)
{
    float *x = case_f32(test, "x");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const float distance = (float)lab_rng_int(rng, 10, 18) / 16.0f;
        x[i] = 1000.0f + (i % 2 == 0 ? distance : -distance);
    }
}

// The numbers are multiples of 1/64 and C is a power of two, so every way of computing their
// mean is exact. Otherwise an error in the last digit of the mean would be magnified 316 times.
static void fill_equal(struct test_case *test, struct lab_rng *rng)
{
    float *x = case_f32(test, "x");
    size_t C = case_dim(test, "C");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const float value = (float)lab_rng_int(rng, -4, 5) / 64.0f;
        for (size_t c = 0; c < C; c++) {
            x[n * C + c] = value;
        }
    }
}

// Quarters whose mean in each row is a quarter, too. So all sums are exact in float, in any order. Otherwise
// few different squares would round alike, and a sum of them one by one in float would drift.
static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "x");
    const size_t C = case_dim(test, "C");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float *row = case_f32(test, "x") + n * C;
        double sum = 0;
        for (size_t c = 0; c < C; c++) {
            sum += (double)row[c];
        }
        const double mean = rint(4 * sum / (double)C) / 4;
        double steps = 4 * (mean * (double)C - sum);
        for (size_t c = 0; c < C && steps != 0; c++) {
            const double step = steps > 0 ? 1 : -1;
            row[c] += (float)step / 4;
            steps -= step;
        }
    }
    case_coarse(test, "gain");
    case_coarse(test, "bias");
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    fill_spread(test, rng);
    case_f32(test, "x")[case_dim(test, "C") + 1] = NAN;
}

static void fill_repeated_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_rows(test, "x", case_dim(test, "C"), 1, -2.0f, 1.0f);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "x", 1);
    repeat_numbers(test, "gain", 2);
    repeat_numbers(test, "bias", 4);
}

static const struct case_spec layernorm_cases[] = {
    {.dims = "N=1 C=1", .note = "one channel: it is its own mean"},
    {.dims = "N=1 C=3", .fill = fill_spread},
    {.dims = "N=2 C=3", .fill = fill_spread},
    {.dims = "N=2 C=4", .fill = fill_by_hand, .note = "1 2 3 6, as in the handout"},
    {.dims = "N=4 C=4", .fill = fill_spread, .note = "as many rows as channels"},
    {.dims = "N=3 C=4", .fill = fill_equal, .note = "rows of equal numbers, variance 0"},
    {.dims = "N=5 C=3", .fill = fill_offset, .note = "numbers around 3"},
    {.dims = "N=4 C=5",
     .fill = fill_small,
     .note = "numbers near 0.001, where eps matters"},
    {.dims = "N=3 C=7", .fill = fill_large, .note = "whole numbers near 5"},
    {.dims = "N=2..5 C=7..13", .draws = 3},
    {.dims = "N=11..13 C=5..9", .draws = 2, .fill = fill_spread},
    {.dims = "N=3 C=5", .fill = fill_nan, .nan = true, .note = "NaN in row 1"},
    {.dims = "N=3 C=67"},
    {.dims = "N=6 C=1", .note = "one channel: it is its own mean"},
    {.dims = "N=3 C=2", .fill = fill_spread},
    {.dims = "N=5 C=16", .fill = fill_equal, .note = "rows of equal numbers, variance 0"},
    {.dims = "N=9 C=17", .fill = fill_small, .note = "numbers near 0.001, eps matters"},
    {.dims = "N=2 C=1031"},
    {.dims = "N=259 C=3", .fill = fill_spread},
    {.dims = "N=1 C=1025"},
    {.dims = "N=5 C=17", .fill = fill_large, .note = "whole numbers near 5"},
    {.dims = "N=67 C=259", .note = "larger, odd sizes"},
    {.dims = "N=256 C=3", .fill = fill_spread, .note = "exactly 256 rows"},
    {.dims = "N=2 C=1024", .note = "exactly 1024 channels"},
    {.dims = "N=523 C=1", .note = "more than 512 rows"},
    {.dims = "N=64 C=64", .fill = fill_spread, .note = "N = C = 64"},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    {.dims = "N=4 C=4",
     .fill = fill_every_size,
     .unit = 1e-20f,
     .note = "numbers near 1e-18, 1e-6, 1e6 and 1e12"},
    {.dims = "N=1 C=4",
     .fill = fill_two_gains,
     .unit = TWO_SIZES_UNIT,
     .note = "gains near 1e-18 and 1e18"},
    {.dims = "N=4 C=6",
     .draws = 2,
     .fill =
         fill_spread}, // the same sizes again: a function must not keep anything between calls
    // x * scale + shift in one step is right, too, but is off by about 1e-4 near 1000.
    {.dims = "N=17 C=16",
     .fill = fill_near_1000,
     .unit = 200,
     .note = "numbers near 1000, with a variance near 1"},
    // The mean, a twelfth of the sum, is rounded. So (x - mean)(x + mean) is off by 2 mean
    // times the rounding error.
    {.dims = "N=17 C=12",
     .fill = fill_near_1000,
     .unit = 200,
     .note = "numbers near 1000, with a variance near 1"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 C=12301",
     .fill = fill_wide,
     .note = "more than 12288 channels",
     .gpu_only = true},
    {.dims = "N=1031 C=3",
     .fill = fill_repeated_rows,
     .note = "more than 1024 rows",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=65537 C=1", .note = "65537 rows", .gpu_only = true, .launch_only = true},
    {TOO_LARGE("N=3 C=4", "N", "N")},
    {MOST("N=2 C=2", "N")},
    {MOST("N=1 C=2", "C")},
    {MORE_THAN_16_BITS("N=65543 C=1", repeated, "65543 rows")},
    {0},
};

// Changing the last row must not change the others.
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

static const struct property layernorm_properties[] = {
    {
        .id = "rows-are-alone",
        .claim = "changing one row leaves the other rows unchanged, bit for bit",
        .dims = "N=4 C=6",
        .change = change_last_row,
        HOLDS(other_rows_stay),
    },
    {0},
};

static const struct part layernorm_part[] = {
    {
        .function = "layernorm",
        .dims = "N C",
        .tensors =
            {
                {"y", "N C", OUTPUT, F32, 2e-5f, 1e-4f},
                {"mean", "N", OUTPUT, F32, 2e-6f, 4e-6f},
                {"rstd", "N", OUTPUT, F32, 1e-6f, 2e-5f},
                {"x", "N C", INPUT, F32, 0, 0},
                {"gain", "C", INPUT, F32, 0, 0},
                {"bias", "C", INPUT, F32, 0, 0},
            },
        .cases = layernorm_cases,
        .properties = layernorm_properties,
        .mistakes = layernorm_mistakes,
        .alternatives = layernorm_alternatives,
    },
    {0},
};

const struct exercise exercise_5_1 = {
    .id = "5.1",
    .name = "layernorm",
    .section = "5.1 Layer norm",
    .hints =
        {
            "Work on one row at a time, in three passes. What do you need to know about "
            "a row before you can write the first number of y?",
            "mean = sum of x[c] / C. variance = sum of (x[c] - mean)^2 / C; do not "
            "divide by C - 1. rstd = 1 / sqrt(variance + LAYERNORM_EPS), with eps under "
            "the root. y[c] = (x[c] - mean) * rstd * gain[c] + bias[c].",
            "for each row n, from n * C on:\n"
            "    sum = 0;      for each c: sum += x[c]\n"
            "    m = sum / C\n"
            "    squares = 0;  for each c: squares += (x[c] - m) * (x[c] - m)\n"
            "    r = 1 / sqrtf(squares / C + LAYERNORM_EPS)\n"
            "    for each c: y[c] = (x[c] - m) * r * gain[c] + bias[c]\n"
            "    mean[n] = m;  rstd[n] = r",
        },
    .gpu_hints =
        {
            "One block handles one row. Each thread adds its share of the channels. Then "
            "you need a sum over all threads of the block, twice.",
            "Thread i handles channels i, i + ROW_BLOCK, ... Sum within each warp with "
            "__shfl_xor_sync (as in 1.4). Each warp writes its sum to shared memory; "
            "then a barrier; then every thread adds the four sums. Put another barrier "
            "before the shared memory is written again.",
            "__device__ float block_sum(float value, float *parts):\n"
            "    for step = 16, 8, 4, 2, 1: value += __shfl_xor_sync(0xffffffffu, value, step)\n"
            "    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value\n"
            "    __syncthreads(); sum = parts[0] + ... + parts[ROW_WARPS - 1]; __syncthreads()\n"
            "    return sum\n"
            "kernel: mean = block_sum(own sum, parts) / C\n"
            "    rstd = 1 / sqrtf(block_sum(own sum of (x - mean)^2, parts) / C + LAYERNORM_EPS)\n"
            "    own channels: y = (x - mean) * rstd * gain + bias; thread 0 writes mean and rstd\n"
            "launcher: <<<(unsigned)N, ROW_BLOCK, 0, stream>>>",
        },
    .parts = layernorm_part,
};
