// 08a_linear_int8.c - exercise 9.8, linear_int8: cases and known mistakes.

#include "exercises/exercise.h"
#include "exercises/09/08_int8.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "09_generation/generation.h"
#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

// Scales as those of weights near 1, with two digits more so that no two are equal.
static void fill_scales(struct test_case *test, struct lab_rng *rng)
{
    for (size_t o = 0; o < case_count(test, "scales"); o++) {
        case_f32(test, "scales")[o] =
            0.004f + 0.012f * (float)(lab_rng_next32(rng) >> 8) * 0x1p-24f;
    }
}

// The rounding of a long sum in float grows with x; the absolute tolerance does not.
static void fill_long_rows(struct test_case *test, struct lab_rng *rng)
{
    fill_scales(test, rng);
    scale_input(test, "x", 0.25f);
}

// Small whole numbers and powers of two: exact in any order.
static void fill_exact(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = (float)((int)(lab_rng_next32(rng) % 17) - 8);
    }
    for (size_t o = 0; o < case_count(test, "scales"); o++) {
        case_f32(test, "scales")[o] = ldexpf(1.0f, 3 - (int)(o % 7));
    }
}

// The scale of a row is 32 times that of the row before, or a 2^30th of it.
static void fill_scales_apart(struct test_case *test, struct lab_rng *rng)
{
    fill_exact(test, rng);
    for (size_t o = 0; o < case_count(test, "scales"); o++) {
        case_f32(test, "scales")[o] = ldexpf(1.0f, 5 * (int)(o % 7) - 15);
    }
}

// Every product is 127 * 127 or more: a sum for which int8, and soon int16, is too small.
static void fill_large_products(struct test_case *test, struct lab_rng *rng)
{
    fill_exact(test, rng);
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = (float)(127 + i % 5);
    }
    for (size_t i = 0; i < case_count(test, "rows"); i++) {
        case_i8(test, "rows")[i] = i / case_dim(test, "I") % 2 == 0 ? 127 : -127;
    }
}

// x of a size that an integer type does not hold.
static void fill_large_x(struct test_case *test, struct lab_rng *rng)
{
    fill_exact(test, rng);
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] *= 0x1p40f;
    }
}

// Sums from 9e-13 to 9e12 times scales from 1e-18 to 1e18.
static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] =
            ldexpf((float)(1 + i % 3), i < case_dim(test, "I") ? -40 : 40);
    }
    for (size_t i = 0; i < case_count(test, "rows"); i++) {
        case_i8(test, "rows")[i] = (int8_t)(1 + i % 5);
    }
    for (size_t o = 0; o < case_count(test, "scales"); o++) {
        case_f32(test, "scales")[o] = ldexpf(1.0f, 40 * (int)(o % 4) - 60);
    }
}

static void fill_small_x(struct test_case *test, struct lab_rng *rng)
{
    fill_exact(test, rng);
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] *= 0x1p-40f;
    }
}

// As quantize_rows gives them for rows of zeros.
static void fill_zero_rows(struct test_case *test, struct lab_rng *rng)
{
    const size_t I = case_dim(test, "I"), O = case_dim(test, "O");
    fill_scales(test, rng);
    for (size_t o = 0; o < O; o += 2) {
        for (size_t i = 0; i < I; i++) {
            case_i8(test, "rows")[o * I + i] = 0;
        }
        case_f32(test, "scales")[o] = 0.0f;
    }
}

// x has a NaN where every weight is 0: 0 * NaN is NaN.
static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    const size_t I = case_dim(test, "I");
    fill_scales(test, rng);
    case_f32(test, "x")[1] = NAN;
    for (size_t o = 0; o < case_dim(test, "O"); o++) {
        case_i8(test, "rows")[o * I + 1] = 0;
    }
}

const struct case_spec linear_int8_cases[] = {
    {.dims = "N=1 I=2 O=2", .fill = fill_exact, .exact = true, .note = "whole numbers"},
    {.dims = "N=2 I=3 O=4", .fill = fill_exact, .exact = true, .note = "whole numbers"},
    {.dims = "N=2 I=5 O=3", .fill = fill_scales},
    {.dims = "N=3 I=4 O=7", .fill = fill_scales},
    {.dims = "N=2..5 I=6..20 O=21..30", .draws = 3, .fill = fill_scales},
    {.dims = "N=7 I=11 O=5", .fill = fill_scales, .note = "more rows than outputs"},
    {.dims = "N=1 I=13 O=6", .fill = fill_scales, .note = "one row: a decode step"},
    {.dims = "N=5 I=1 O=4", .fill = fill_scales, .note = "one input"},
    {.dims = "N=5 I=7 O=1", .fill = fill_scales, .note = "one output"},
    {.dims = "N=1 I=1 O=1", .fill = fill_scales, .note = "one number"},
    {.dims = "N=2 I=9 O=14",
     .fill = fill_scales_apart,
     .exact = true,
     .note = "rows of very different size"},
    {.dims = "N=3 I=6 O=8",
     .fill = fill_large_products,
     .exact = true,
     .note = "large products"},
    {.dims = "N=2 I=7 O=8", .fill = fill_large_x, .exact = true, .note = "large x"},
    {.dims = "N=2 I=7 O=9", .fill = fill_small_x, .exact = true, .note = "small x"},
    {.dims = "N=3 I=6 O=7", .fill = fill_zero_rows, .note = "some rows are zero"},
    {.dims = "N=3 I=129 O=67", .unit = 4.0f, .fill = fill_long_rows, .note = "larger"},
    {.dims = "N=1 I=1283 O=3",
     .unit = 16.0f,
     .fill = fill_long_rows,
     .note = "long rows"},
    {.dims = "N=256 I=3 O=5", .fill = fill_scales, .note = "exactly 256 rows"},
    {.dims = "N=1 I=1024 O=3",
     .fill = fill_long_rows,
     .note = "rows of exactly 1024",
     .unit = 16.0f},
    {.dims = "N=2 I=3 O=1024", .fill = fill_scales, .note = "exactly 1024 outputs"},
    {.dims = "N=2 I=64 O=64", .fill = fill_scales, .note = "I = O = 64", .unit = 4.0f},
    {.dims = "N=1 I=768 O=5",
     .unit = 12.0f,
     .fill = fill_long_rows,
     .note = "GPT-2's width"},
    {.dims = "N=2 I=3 O=1031", .fill = fill_scales, .note = "many outputs"},
    {.dims = "N=131 I=3 O=5", .fill = fill_scales, .note = "many rows"},
    // A grid ends at 65535 blocks along y.
    {.dims = "N=65537 I=2 O=1",
     .fill = fill_scales,
     .note = "many rows",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=2 I=3 O=65541",
     .fill = fill_scales,
     .note = "many outputs",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=1 I=65539 O=2",
     .fill = fill_exact,
     .exact = true,
     .note = "very long rows",
     .gpu_only = true},
    {.dims = "N=0 I=4 O=3", .fill = fill_scales, .note = "a size of 0"},
    {.dims = "N=2 I=0 O=3", .fill = fill_scales, .note = "a size of 0"},
    {.dims = "N=2 I=4 O=0", .note = "a size of 0"},
    {.dims = "N=2 I=3 O=4",
     .fill = fill_every_size,
     .exact = true,
     .note = EVERY_SIZE_NOTE},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=1 I=1 O=524301",
     .note = "half a million outputs",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=1 I=5003 O=2",
     .fill = fill_exact,
     .exact = true,
     .note = "rows of 5003",
     .memory_only = true},
    {.dims = "N=5003 I=1 O=1",
     .fill = fill_exact,
     .exact = true,
     .note = "5003 rows of x",
     .memory_only = true},
    {.dims = "N=1 I=1 O=5003",
     .fill = fill_exact,
     .exact = true,
     .note = "5003 outputs",
     .memory_only = true},
    {.dims = "N=2 I=5 O=3",
     .fill = fill_nan,
     .note = "x[0][1] is NaN, and so is row 0 of y, although the weights there are 0",
     .nan = true},
    {MOST("N=2 I=1 O=1", "N")},
    {MOST("N=1 I=2 O=1", "I")},
    {MOST("N=1 I=1 O=2", "O")},
    {0},
};

// ---- properties ---------------------------------------------------------------------------

static void double_first_scale(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    case_f32(second, "scales")[0] *= 2.0f;
}

// BEGIN HANDED OUT

static bool only_output_0_doubles(const struct test_case *first,
                                  const struct test_case *second, char *why,
                                  size_t why_size)
{
    const size_t N = case_dim(first, "N"), O = case_dim(first, "O");
    const float *a = case_got(first, "y"), *b = case_got(second, "y");
    for (size_t i = 0; i < N * O; i++) {
        const float due = i % O == 0 ? 2.0f * a[i] : a[i];
        if (!(fabsf(b[i] - due) <= 1e-5f * (1.0f + fabsf(due)))) {
            snprintf(why, why_size,
                     "scales[0] was doubled, and y[%zu][%zu] went from "
                     "%.9g to %.9g; expected %.9g",
                     i / O, i % O, (double)a[i], (double)b[i], (double)due);
            return false;
        }
    }
    return true;
}

// END HANDED OUT

const struct property linear_int8_properties[] = {
    {
        .id = "scale-of-its-row",
        .claim = "a scale changes only its own output, in proportion",
        .dims = "N=3 I=5 O=6",
        .change = double_first_scale,
        HOLDS(only_output_0_doubles),
        .fill = fill_scales,
    },
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define LINEAR_ARGUMENTS                                                                 \
    float *y, const float *x, const int8_t *rows, const float *scales, size_t N,         \
        size_t I, size_t O

// LINEAR(name, type, next, out): sum, of that type, becomes next for each i; then out is written.
// Both are expressions of n, o, i and the arguments.
#define LINEAR(name, type, next, out)                                                    \
    static lab_status name(LINEAR_ARGUMENTS)                                             \
    {                                                                                    \
        if (N == 0 || I == 0 || O == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        (void)scales;                                                                    \
        for (size_t n = 0; n < N; n++) {                                                 \
            for (size_t o = 0; o < O; o++) {                                             \
                type sum = 0;                                                            \
                for (size_t i = 0; i < I; i++) {                                         \
                    sum = next;                                                          \
                }                                                                        \
                y[n * O + o] = (float)(out);                                             \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

#define X x[n * I + i]
#define ROW (float)rows[o * I + i]
#define RIGHT_SUM (sum + X * ROW)

// What a cast to int gives; INT_MIN for what does not fit.
static int int_of(float value)
{
    return fabsf(value) < 0x1p31f ? (int)value : INT32_MIN;
}

LINEAR(linear_no_scale, float, RIGHT_SUM, sum)
LINEAR(linear_divided, float, RIGHT_SUM, scales[o] != 0.0f ? sum / scales[o] : 0.0f)
LINEAR(linear_divided_unguarded, float, RIGHT_SUM, sum / scales[o])
LINEAR(linear_scale_squared, float, RIGHT_SUM, scales[o] * scales[o] * sum)
LINEAR(linear_by_127, float, RIGHT_SUM, scales[o] / 127.0f * sum)
LINEAR(linear_first_scale, float, RIGHT_SUM, scales[0] * sum)
LINEAR(linear_unsigned, float, sum + X * (float)(uint8_t)rows[o * I + i], scales[o] * sum)
LINEAR(linear_transposed, float, sum + X * (float)rows[i * O + o], scales[o] * sum)
LINEAR(linear_first_x, float, sum + x[i] * ROW, scales[o] * sum)
LINEAR(linear_first_row, float, sum + X * (float)rows[i], scales[o] * sum)
LINEAR(linear_x_to_int, float, sum + (float)int_of(X) * ROW, scales[o] * sum)
LINEAR(linear_x_rounded, float, sum + rintf(X) * ROW, scales[o] * sum)
LINEAR(linear_int_sum, float, (float)int_of(RIGHT_SUM), scales[o] * sum)
LINEAR(linear_int8_sum, float, (float)byte_of(RIGHT_SUM), scales[o] * sum)
LINEAR(linear_int8_products, float, sum + (float)byte_of(X * ROW), scales[o] * sum)
LINEAR(linear_one_product, float, X *ROW, scales[o] * sum)
// On a GPU: lane 0 of a warp writes what it has added alone.
LINEAR(linear_own_lane, float, i % 32 == 0 ? RIGHT_SUM : sum, scales[o] * sum)
// Or only the first column of each lane.
LINEAR(linear_first_columns, float, i < 32 ? RIGHT_SUM : sum, scales[o] * sum)
// Or with the other lanes of its half.
LINEAR(linear_half_warp, float, i % 32 < 16 ? RIGHT_SUM : sum, scales[o] * sum)

// LINEAR_SCALE_AT(name, size, index): the scale of another place, which may not exist.
#define LINEAR_SCALE_AT(name, size, index)                                               \
    LINEAR(name##_inside, float, sum + X * ROW * scales[(index) % O], sum)               \
    static lab_status name(LINEAR_ARGUMENTS)                                             \
    {                                                                                    \
        return O > 0 && (size) > O ? LEAVES_ARGUMENTS                                    \
                                   : name##_inside(y, x, rows, scales, N, I, O);         \
    }

LINEAR_SCALE_AT(linear_scale_of_input, I, i)
LINEAR_SCALE_AT(linear_scale_of_x, N, n)

// y as (O, N).
static lab_status linear_y_transposed(LINEAR_ARGUMENTS)
{
    float *right = malloc((N * O + 1) * sizeof *right);
    if (right == NULL) {
        return LAB_ENOMEM;
    }
    const lab_status status = linear_int8(right, x, rows, scales, N, I, O);
    for (size_t i = 0; status == LAB_OK && i < N * O; i++) {
        y[i % O * N + i / O] = right[i];
    }
    free(right);
    return status;
}

// A row of x in 127 steps, too.
static float step_of(const float *x, size_t I)
{
    float largest = 0.0f;
    for (size_t i = 0; i < I; i++) {
        largest = fmaxf(largest, fabsf(x[i]));
    }
    return largest > 0.0f ? largest / 127.0f : 1.0f;
}

static lab_status linear_x_quantized(LINEAR_ARGUMENTS)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float step = step_of(x + n * I, I);
        for (size_t o = 0; o < O; o++) {
            float sum = 0;
            for (size_t i = 0; i < I; i++) {
                sum += rintf(X / step) * ROW;
            }
            y[n * O + o] = scales[o] * step * sum;
        }
    }
    return LAB_OK;
}

#define ONE_SCALE_EACH                                                                   \
    "Row o of the weights, which gives output o, has the scale scales[o]."

const struct mistake linear_int8_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the sums are not multiplied by the scales",
        .why =
            "The integers are the weights divided by scales[o]. Multiply the sum by it.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_no_scale),
    },
    {
        .id = "divided-by-scale",
        .what = "the sums are divided by the scales",
        .why =
            "The integers are the weights divided by scales[o]. Multiply the sum by it.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_divided),
    },
    {
        .id = "divided-by-scale-unguarded",
        .what = "the sums are divided by the scales, also by 0",
        .why =
            "The integers are the weights divided by scales[o]. Multiply the sum by it.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_divided_unguarded),
    },
    {
        .id = "scale-twice",
        .what = "the sums are multiplied by the scale twice",
        .why = "Once is enough: for each product, or better for the sum.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_scale_squared),
    },
    {
        .id = "divided-by-127",
        .what = "the scales are divided by 127 again",
        .why = "scales[o] is the largest magnitude / 127 already.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_by_127),
    },
    {
        .id = "first-scale",
        .what = "every output has the scale of row 0",
        .why = ONE_SCALE_EACH,
        .source = NULL,
        .function = LIKE(linear_int8, linear_first_scale),
    },
    {
        .id = "scale-of-input",
        .what = "the products are multiplied by scales[i], the scale of a column",
        .why = ONE_SCALE_EACH,
        .source = NULL,
        .function = LIKE(linear_int8, linear_scale_of_input),
    },
    {
        .id = "scale-of-x",
        .what = "the sums are multiplied by scales[n]",
        .why = ONE_SCALE_EACH " n is the row of x.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_scale_of_x),
    },
    {
        .id = "unsigned",
        .what = "the integers are read without a sign: -1 as 255",
        .why =
            "rows is int8_t. Do not convert it to an unsigned type on the way to float.",
        .source = "pytorch/pytorch#76390",
        .function = LIKE(linear_int8, linear_unsigned),
    },
    {
        .id = "w-transposed",
        .what = "rows is read as (I, O)",
        .why = "It is (O, I), as in every linear layer: rows[o * I + i].",
        .source = NULL,
        .function = LIKE(linear_int8, linear_transposed),
    },
    {
        .id = "y-transposed",
        .what = "y is written as (O, N)",
        .why = "It is (N, O): y[n * O + o].",
        .source = NULL,
        .function = LIKE(linear_int8, linear_y_transposed),
    },
    {
        .id = "first-x",
        .what = "every row of y is computed from row 0 of x",
        .why = "Row n of x begins at x + n * I.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_first_x),
    },
    {
        .id = "first-row",
        .what = "every output is computed from row 0 of the weights",
        .why = "Row o begins at rows + o * I.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_first_row),
    },
    {
        .id = "x-to-int",
        .what = "x loses its fraction",
        .why =
            "Only the weights are integers; x stays float. Convert rows to float, not x "
            "to an integer.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_x_to_int),
    },
    {
        .id = "x-rounded",
        .what = "x is rounded to integers",
        .why = "Only the weights are integers; x stays float.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_x_rounded),
    },
    {
        .id = "x-quantized",
        .what = "x is rounded to 127 steps, too",
        .why = "That is W8A8, for machines where integer products are fast. Here x stays "
               "float, and only the weights are rounded.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_x_quantized),
        .convention = true,
    },
    {
        .id = "int-sum",
        .what = "the sum is an int and loses its fraction in every step",
        .why = "x is float, so the products are floats. Add them up in a float.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_int_sum),
    },
    {
        .id = "int8-sum",
        .what = "the sum is an int8_t and overflows",
        .why = "It holds -128 to 127. Add up in a float.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_int8_sum),
    },
    {
        .id = "int8-products",
        .what = "each product is an int8_t and overflows",
        .why = "It holds -128 to 127. Convert rows to float and multiply then.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_int8_products),
    },
    {
        .id = "one-product",
        .what = "only the last product counts",
        .why = "Add up: sum += x * row.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_one_product),
    },
    {
        .id = "own-lane",
        .what = "an output is the sum of a single lane: every 32nd product",
        .why =
            "__shfl_xor_sync with 16, 8, 4, 2 and 1 gives every lane the sum of all lanes.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_own_lane),
        .gpu = true,
    },
    {
        .id = "first-columns",
        .what = "only the first 32 columns are in the sum",
        .why =
            "A lane has more than one column: for (i = threadIdx.x; i < I; i += WARP), "
            "not if (threadIdx.x < I).",
        .source = NULL,
        .function = LIKE(linear_int8, linear_first_columns),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the sum is that of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(linear_int8, linear_half_warp),
        .gpu = true,
    },
    {0},
};

LINEAR(linear_in_double, double, sum + (double)X * rows[o * I + i], scales[o] * sum)
LINEAR(linear_scale_inside, float, sum + X * (scales[o] * ROW), sum)
LINEAR(linear_from_last, float,
       sum + x[n * I + I - 1 - i] * (float)rows[o * I + I - 1 - i], sum *scales[o])

const struct mistake linear_int8_alternatives[] = {
    {.id = "in-double", .function = LIKE(linear_int8, linear_in_double)},
    {.id = "scale-inside", .function = LIKE(linear_int8, linear_scale_inside)},
    {.id = "from-last", .function = LIKE(linear_int8, linear_from_last)},
    {0},
};
