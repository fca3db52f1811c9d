// 08_int8.c - exercise 9.8, int8 weights: cases and properties of quantize_rows. linear_int8 is in 08a_linear_int8.c.
//
// The integers must be exactly right, and they must not depend on rounding. So the cases are made
// from the expected integers: a row's largest number is 127 scales, and every other number is at
// least a tenth of a scale away from a half. Halves occur only where the scale is a power of two,
// so that every division is exact.

#include "exercises/exercise.h"
#include "exercises/09/08_int8.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "09_generation/generation.h"
#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

// An integer from -most to most.
static float draw_integer(struct lab_rng *rng, int most)
{
    return (float)((int)(lab_rng_next32(rng) % (2 * (uint32_t)most + 1)) - most);
}

static float draw_from(struct lab_rng *rng, float least, float most)
{
    const float u = (float)(lab_rng_next32(rng) >> 8) * 0x1p-24f;
    return least + (most - least) * u;
}

static float draw_sign(struct lab_rng *rng)
{
    return lab_rng_next32(rng) % 2 == 0 ? 1.0f : -1.0f;
}

// A row whose largest magnitude is 127 scales, in a place that is drawn.
static void draw_row(float *row, size_t I, float scale, struct lab_rng *rng)
{
    for (size_t i = 0; i < I; i++) {
        row[i] = scale * (draw_integer(rng, 126) + draw_from(rng, -0.4f, 0.4f));
    }
    row[lab_rng_next32(rng) % I] = 127.0f * scale * draw_sign(rng);
}

static void fill_rows(struct test_case *test, struct lab_rng *rng)
{
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O && I > 0; o++) {
        draw_row(case_f32(test, "w") + o * I, I, draw_from(rng, 0.002f, 0.03f), rng);
    }
}

static void fill_whole_numbers(struct test_case *test, struct lab_rng *rng)
{
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O; o++) {
        float *row = case_f32(test, "w") + o * I;
        for (size_t i = 0; i < I; i++) {
            row[i] = draw_integer(rng, 126);
        }
        row[o % I] = o % 2 == 0 ? 127.0f : -127.0f;
    }
}

// The scale of row o is 2^(2 - o), so w / scale is one of these numbers exactly.
static void fill_halves(struct test_case *test, struct lab_rng *rng)
{
    static const float halves[] = {
        0.5f,        1.5f,         2.5f,       -0.5f,      -1.5f, -2.5f,
        125.5f,      126.5f,       -125.5f,    -126.5f,    63.5f, -64.5f,
        0.49999997f, -0.49999997f, 1.4999999f, 2.5000002f, 0.0f};
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O; o++) {
        float *row = case_f32(test, "w") + o * I;
        const float scale = ldexpf(1.0f, 2 - (int)o);
        for (size_t i = 0; i < I; i++) {
            row[i] = scale * halves[i % (sizeof halves / sizeof halves[0])];
        }
        row[lab_rng_next32(rng) % I] = 127.0f * scale * draw_sign(rng);
    }
}

// The largest magnitude is a negative number in every row, and no positive one is near.
static void fill_negative(struct test_case *test, struct lab_rng *rng)
{
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O; o++) {
        float *row = case_f32(test, "w") + o * I;
        const float scale = draw_from(rng, 0.002f, 0.03f);
        for (size_t i = 0; i < I; i++) {
            row[i] =
                scale * (draw_integer(rng, 20) - 30.0f + draw_from(rng, -0.4f, 0.4f));
        }
        row[o % 2 == 0 ? 0 : I - 1] = -127.0f * scale;
        row[I / 2] = 7.2f * scale;
    }
}

static void fill_largest_at(struct test_case *test, struct lab_rng *rng, bool last)
{
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O; o++) {
        float *row = case_f32(test, "w") + o * I;
        const float scale = draw_from(rng, 0.002f, 0.03f);
        for (size_t i = 0; i < I; i++) {
            row[i] = scale * (draw_integer(rng, 60) + draw_from(rng, -0.4f, 0.4f));
        }
        row[last ? I - 1 : 0] = 127.0f * scale;
    }
}

static void fill_largest_first(struct test_case *test, struct lab_rng *rng)
{
    fill_largest_at(test, rng, false);
}

static void fill_largest_last(struct test_case *test, struct lab_rng *rng)
{
    fill_largest_at(test, rng, true);
}

// Row o is about 10^(4 (o - O / 2)) times as large as the others.
static void fill_sizes_apart(struct test_case *test, struct lab_rng *rng)
{
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O; o++) {
        const float size = powf(1e4f, (float)o - (float)(O / 2));
        draw_row(case_f32(test, "w") + o * I, I, size * draw_from(rng, 0.5f, 2.0f), rng);
    }
}

static void fill_rows_of(struct test_case *test, struct lab_rng *rng, float scale)
{
    const size_t O = case_dim(test, "O"), I = case_dim(test, "I");
    for (size_t o = 0; o < O; o++) {
        draw_row(case_f32(test, "w") + o * I, I, scale * draw_from(rng, 1.0f, 1.2f), rng);
    }
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    fill_rows_of(test, rng, 1e-32f);
}

static void fill_smallest(struct test_case *test, struct lab_rng *rng)
{
    fill_rows_of(test, rng, 1.2f * FLT_MIN);
}

static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    fill_rows_of(test, rng, 1e28f);
}

// 127 * 2.2e36 is 2.8e38: the sum of two weights overflows, and so does their square.
static void fill_largest(struct test_case *test, struct lab_rng *rng)
{
    fill_rows_of(test, rng, 2.2e36f);
}

static void zero_row(struct test_case *test, size_t o)
{
    const size_t I = case_dim(test, "I");
    for (size_t i = 0; i < I; i++) {
        case_f32(test, "w")[o * I + i] = (o + i) % 2 == 0 ? 0.0f : -0.0f;
    }
}

static void fill_some_zeros(struct test_case *test, struct lab_rng *rng)
{
    const size_t O = case_dim(test, "O");
    fill_rows(test, rng);
    zero_row(test, 0);
    zero_row(test, O / 2);
    zero_row(test, O - 1);
}

static void fill_all_zeros(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t o = 0; o < case_dim(test, "O"); o++) {
        zero_row(test, o);
    }
}

static void fill_one_not_zero(struct test_case *test, struct lab_rng *rng)
{
    fill_all_zeros(test, rng);
    case_f32(test, "w")[lab_rng_next32(rng) % case_count(test, "w")] = -0.375f;
}

static void fill_with(struct test_case *test, struct lab_rng *rng, size_t place, float x)
{
    fill_rows(test, rng);
    case_f32(test, "w")[place] = x;
}

static void fill_nan_first(struct test_case *test, struct lab_rng *rng)
{
    fill_with(test, rng, 0, NAN);
}

static void fill_nan_last(struct test_case *test, struct lab_rng *rng)
{
    fill_with(test, rng, case_count(test, "w") - 1, NAN);
}

static void fill_nan_inside(struct test_case *test, struct lab_rng *rng)
{
    fill_with(test, rng, case_count(test, "w") / 2, -NAN);
}

static void fill_infinite_first(struct test_case *test, struct lab_rng *rng)
{
    fill_with(test, rng, 0, INFINITY);
}

static void fill_infinite_last(struct test_case *test, struct lab_rng *rng)
{
    fill_with(test, rng, case_count(test, "w") - 1, -INFINITY);
}

static void fill_nan_in_zeros(struct test_case *test, struct lab_rng *rng)
{
    fill_all_zeros(test, rng);
    case_f32(test, "w")[1] = NAN;
}

static const struct case_spec quantize_rows_cases[] = {
    {.dims = "O=1 I=4", .fill = fill_whole_numbers, .note = "whole numbers: scale 1"},
    {.dims = "O=3 I=5", .fill = fill_whole_numbers, .note = "whole numbers: scale 1"},
    {.dims = "O=2 I=3", .fill = fill_rows},
    {.dims = "O=3..6 I=7..12", .draws = 3, .fill = fill_rows},
    {.dims = "O=1 I=1", .fill = fill_rows, .note = "one number"},
    {.dims = "O=5 I=1", .fill = fill_rows, .note = "one number in each row"},
    {.dims = "O=1 I=19", .fill = fill_halves, .note = "halves"},
    {.dims = "O=5 I=21", .fill = fill_halves, .note = "halves"},
    {.dims = "O=4 I=6",
     .fill = fill_negative,
     .note = "the largest magnitude is a negative number"},
    {.dims = "O=3 I=8", .fill = fill_largest_first, .note = "the largest comes first"},
    {.dims = "O=3 I=9", .fill = fill_largest_last, .note = "the largest comes last"},
    {.dims = "O=7 I=6", .fill = fill_sizes_apart, .note = "rows of very different size"},
    {.dims = "O=5 I=4", .fill = fill_some_zeros, .note = "some rows are zero"},
    {.dims = "O=2 I=3", .fill = fill_all_zeros, .note = "all rows are zero"},
    {.dims = "O=1 I=1", .fill = fill_all_zeros, .note = "one number, and it is zero"},
    {.dims = "O=3 I=5", .fill = fill_one_not_zero, .note = "one number is not zero"},
    {.dims = "O=3 I=7", .fill = fill_tiny, .note = "numbers of about 1e-30"},
    {.dims = "O=3 I=7", .fill = fill_smallest, .note = "the smallest normal scales"},
    {.dims = "O=3 I=7", .fill = fill_huge, .note = "numbers of about 1e30"},
    {.dims = "O=3 I=7", .fill = fill_largest, .note = "near the largest float"},
    {.dims = "O=37 I=301", .fill = fill_rows, .note = "larger"},
    {.dims = "O=3 I=1283", .fill = fill_largest_last, .note = "long rows"},
    {.dims = "O=1031 I=3", .fill = fill_rows, .note = "many rows"},
    {.dims = "O=3 I=4",
     .fill = fill_nan_first,
     .note = "the first is NaN",
     .cpu_only = true},
    {.dims = "O=256 I=3", .fill = fill_rows, .note = "exactly 256 rows"},
    {.dims = "O=1024 I=2", .fill = fill_rows, .note = "exactly 1024 rows"},
    {.dims = "O=3 I=1024", .fill = fill_largest_last, .note = "rows of exactly 1024"},
    {.dims = "O=64 I=64", .fill = fill_rows, .note = "O = I = 64"},
    {.dims = "O=3 I=4",
     .fill = fill_nan_last,
     .note = "the last is NaN",
     .cpu_only = true},
    {.dims = "O=3 I=5",
     .fill = fill_nan_inside,
     .note = "one in the middle is NaN",
     .cpu_only = true},
    {.dims = "O=3 I=4",
     .fill = fill_infinite_first,
     .note = "the first is infinite",
     .cpu_only = true},
    {.dims = "O=3 I=4",
     .fill = fill_infinite_last,
     .note = "the last is -infinity",
     .cpu_only = true},
    {.dims = "O=2 I=3",
     .fill = fill_nan_in_zeros,
     .note = "NaN among zeros",
     .cpu_only = true},
    {.dims = "O=0 I=4", .note = "a size of 0"},
    {.dims = "O=3 I=0", .note = "a size of 0"},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "O=524301 I=1",
     .note = "half a million rows",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "O=2 I=5003",
     .fill = fill_largest_last,
     .note = "rows of 5003",
     .memory_only = true},
    {.dims = "O=2051 I=1", .fill = fill_rows, .note = "2051 rows", .memory_only = true},
    {MOST("O=2 I=1", "O")},
    {MOST("O=1 I=2", "I")},
    {0},
};

// ---- properties ---------------------------------------------------------------------------

static void enlarge_first_row(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    for (size_t i = 0; i < case_dim(second, "I"); i++) {
        case_f32(second, "w")[i] *= 1000.0f;
    }
}

static void multiply_by_8(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    for (size_t i = 0; i < case_count(second, "w"); i++) {
        case_f32(second, "w")[i] *= 8.0f;
    }
}

// BEGIN HANDED OUT

static bool other_rows_stay(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    const size_t O = case_dim(first, "O"), I = case_dim(first, "I");
    const int8_t *a = (const int8_t *)case_got(first, "rows");
    const int8_t *b = (const int8_t *)case_got(second, "rows");
    const float *p = case_got(first, "scales"), *q = case_got(second, "scales");
    for (size_t o = 1; o < O; o++) {
        if (memcmp(p + o, q + o, sizeof *p) != 0 ||
            memcmp(a + o * I, b + o * I, I) != 0) {
            snprintf(why, why_size, "row 0 was multiplied by 1000, and row %zu changed",
                     o);
            return false;
        }
    }
    return true;
}

static bool only_scales_follow(const struct test_case *first,
                               const struct test_case *second, char *why, size_t why_size)
{
    const size_t O = case_dim(first, "O"), I = case_dim(first, "I");
    const float *a = case_got(first, "scales"), *b = case_got(second, "scales");
    for (size_t o = 0; o < O; o++) {
        if (b[o] != 8.0f * a[o]) {
            snprintf(why, why_size,
                     "the weights are 8 times as large, and scales[%zu] "
                     "went from %.9g to %.9g; expected %.9g",
                     o, (double)a[o], (double)b[o], (double)(8.0f * a[o]));
            return false;
        }
    }
    snprintf(why, why_size, "the weights are 8 times as large, and the integers changed");
    return memcmp(case_got(first, "rows"), case_got(second, "rows"), O * I) == 0;
}

// END HANDED OUT

static const struct property quantize_rows_properties[] = {
    {
        .id = "rows-leak",
        .claim = "changing the weights of a row changes only this row",
        .dims = "O=5 I=6",
        .change = enlarge_first_row,
        HOLDS(other_rows_stay),
        .fill = fill_rows,
    },
    {
        .id = "scales-follow",
        .claim = "8 times the weights give 8 times the scales and the same integers",
        .dims = "O=4 I=9",
        .change = multiply_by_8,
        HOLDS(only_scales_follow),
        .fill = fill_rows,
    },
    {0},
};

// ---- the exercise -------------------------------------------------------------------------

static const struct part int8_parts[] = {
    {
        .function = "quantize_rows",
        .dims = "O I",
        .tensors =
            {
                {"rows", "O I", OUTPUT, I8, 0, 0},
                {"scales", "O", OUTPUT, F32, 0, 1e-6f},
                {.name = "w", .shape = "O I"},
            },
        .cases = quantize_rows_cases,
        .properties = quantize_rows_properties,
        .mistakes = quantize_rows_mistakes,
        .alternatives = quantize_rows_alternatives,
    },
    {
        .function = "linear_int8",
        .dims = "N I O",
        .tensors =
            {
                {"y", "N O", OUTPUT, F32, 2e-5f, 1e-5f},
                {.name = "x", .shape = "N I"},
                {"rows", "O I", INPUT, I8, 0, 0},
                {.name = "scales", .shape = "O"},
            },
        .cases = linear_int8_cases,
        .properties = linear_int8_properties,
        .mistakes = linear_int8_mistakes,
        .alternatives = linear_int8_alternatives,
    },
    {0},
};

const struct exercise exercise_9_8 = {
    .id = "9.8",
    .name = "quantize_rows and linear_int8",
    .section = "9.8 A quarter of the bytes",
    .hints =
        {
            "How many scales make up the largest magnitude of a row? And why can a "
            "product apply the scale at the end?",
            "scale = max |w| / 127 for each row, rows = rintf(w / scale), and 0 where scale "
            "is 0. y[n][o] = scales[o] times the sum over i of x[n][i] rows[o][i], in float.",
            "for each o:\n"
            "    largest = 0; for each i: largest = fmaxf(largest, fabsf(w[o * I + i]))\n"
            "    scale = largest / 127\n"
            "    rows[o * I + i] = scale > 0 ? (int8_t)rintf(w[o * I + i] / scale) : 0\n"
            "    scales[o] = scale\n"
            "y[n * O + o] = scales[o] * sum of x[n * I + i] * (float)rows[o * I + i]",
        },
    .gpu_hints =
        {
            "A row of w has one scale: which threads compute it, and how do the others "
            "get it? In the product, each warp can handle one row, and read four "
            "integers at once.",
            "quantize_rows_gpu: a block or a warp for each row, a maximum by shuffles, "
            "then the division by every thread. linear_int8_gpu: a warp for each "
            "output, lane l adds up numbers l, l + 32, ..., then one sum of 32, times "
            "scales[o].",
            "warp per row o: largest = max of fabsf(w_dev[o * I + i]), i = lane, lane + 32, ...\n"
            "largest = max over lanes (__shfl_xor_sync); scale = largest / 127.0f\n"
            "rows_dev[o * I + i] = scale > 0 ? (signed char)rintf(w / scale) : 0\n"
            "linear: sum over i = lane, lane + 32, ... of x_dev[n * I + i] * rows_dev[o * I + i],\n"
            "then over lanes; lane 0 stores y_dev[n * O + o] = scales_dev[o] * sum",
        },
    .parts = int8_parts,
};
