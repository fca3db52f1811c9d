// 08b_quantize_mistakes.c - exercise 9.8, quantize_rows: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/09/08_int8.h"

#include <float.h>
#include <math.h>

#include "09_generation/generation.h"

int8_t byte_of(float value)
{
    if (!(fabsf(value) < 0x1p31f)) {
        return 0; // the conversion to int gives INT_MIN, whose low byte is 0
    }
    return (int8_t)(uint8_t)(uint32_t)(int32_t)value;
}

#define QUANTIZE_ARGUMENTS int8_t *rows, float *scales, const float *w, size_t O, size_t I

static lab_status check_weights(const float *w, size_t O, size_t I)
{
    if (O == 0 || I == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < O * I; i++) {
        if (!isfinite(w[i])) {
            return LAB_EVALUE;
        }
    }
    return LAB_OK;
}

// The largest of n magnitudes.
static float largest_of(const float *x, size_t n)
{
    float largest = 0.0f;
    for (size_t i = 0; i < n; i++) {
        largest = fmaxf(largest, fabsf(x[i]));
    }
    return largest;
}

// The largest number, at least 0; the smallest, at most 0.
static float most_of(const float *x, size_t n)
{
    float most = 0.0f;
    for (size_t i = 0; i < n; i++) {
        most = fmaxf(most, x[i]);
    }
    return most;
}

static float least_of(const float *x, size_t n)
{
    float least = 0.0f;
    for (size_t i = 0; i < n; i++) {
        least = fminf(least, x[i]);
    }
    return least;
}

// abs takes an int. The int of a very large number is INT_MIN, whose abs is negative.
static float largest_by_abs(const float *x, size_t n)
{
    float largest = 0.0f;
    for (size_t i = 0; i < n; i++) {
        const float size = fabsf(x[i]) < 0x1p31f ? truncf(fabsf(x[i])) : 0.0f;
        largest = fmaxf(largest, size);
    }
    return largest;
}

static float mean_magnitude(const float *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += fabs((double)x[i]);
    }
    return (float)(sum / (double)n);
}

static float clamped(float value, float least, float most)
{
    return fminf(fmaxf(value, least), most);
}

// QUANTIZE(name, scale_of_row, stored, number): the scale of a row from row, o and the sizes; what
// is stored of it; and the number that becomes a byte, from x, the weight, and v = x / scale.
#define QUANTIZE(name, scale_of_row, stored, number)                                     \
    static lab_status name(QUANTIZE_ARGUMENTS)                                           \
    {                                                                                    \
        const lab_status status = check_weights(w, O, I);                                \
        for (size_t o = 0; status == LAB_OK && o < O; o++) {                             \
            const float *row = w + o * I;                                                \
            const float scale = scale_of_row;                                            \
            (void)row;                                                                   \
            for (size_t i = 0; i < I; i++) {                                             \
                const float x = w[o * I + i], v = scale != 0.0f ? x / scale : 0.0f;      \
                (void)x, (void)v;                                                        \
                rows[o * I + i] = byte_of(number);                                       \
            }                                                                            \
            scales[o] = stored;                                                          \
        }                                                                                \
        return status;                                                                   \
    }

// Of a block whose warps exchange their largest only within each half, and whose first halves give theirs
// to the block: what the thread of column i then has.
static float largest_of_half(const float *x, size_t n, size_t i)
{
    enum { BLOCK = 128, WARP = 32, HALF = WARP / 2 }; // as in the skeleton's kernel
    float largest = 0.0f;
    for (size_t j = 0; j < n; j++) {
        if (j % WARP < HALF || j % BLOCK / HALF == i % BLOCK / HALF) {
            largest = fmaxf(largest, fabsf(x[j]));
        }
    }
    return largest;
}

static float rounded(float x, float scale)
{
    return scale > 0.0f ? rintf(x / scale) : 0.0f;
}

#define RIGHT_SCALE (largest_of(row, I) / 127.0f)
#define SPREAD ((most_of(row, I) - least_of(row, I)) / 255.0f)

QUANTIZE(quantize_truncated, RIGHT_SCALE, scale, v)
QUANTIZE(quantize_rows_close, largest_of(w + o, I) / 127.0f, scale,
         scale > 0.0f ? rintf(w[o + i] / scale) : 0.0f)
QUANTIZE(quantize_halves_away, RIGHT_SCALE, scale, roundf(v))
QUANTIZE(quantize_halves_up, RIGHT_SCALE, scale, floorf(v + 0.5f))
QUANTIZE(quantize_half_added, RIGHT_SCALE, scale, truncf(v + 0.5f))
QUANTIZE(quantize_down, RIGHT_SCALE, scale, floorf(v))
QUANTIZE(quantize_up, RIGHT_SCALE, scale, clamped(ceilf(v), -127.0f, 127.0f))
QUANTIZE(quantize_one_scale, largest_of(w, O *I) / 127.0f, scale, rintf(v))
QUANTIZE(quantize_first_row, largest_of(w, I) / 127.0f, scale, rintf(v))
QUANTIZE(quantize_not_reset, largest_of(w, (o + 1) * I) / 127.0f, scale, rintf(v))
QUANTIZE(quantize_signed, most_of(row, I) / 127.0f, scale, rintf(v))
QUANTIZE(quantize_signed_clamped, most_of(row, I) / 127.0f, scale,
         clamped(rintf(v), -127.0f, 127.0f))
QUANTIZE(quantize_by_abs, largest_by_abs(row, I) / 127.0f, scale, rintf(v))
// LARGE_OR_0(limit): the right scale, or 0 for a row whose scale is smaller than limit.
#define LARGE_OR_0(limit) (RIGHT_SCALE < limit ? 0.0f : RIGHT_SCALE)
QUANTIZE(quantize_tiny_as_0, LARGE_OR_0(1e-20f), scale, rintf(v))
QUANTIZE(quantize_small_as_0, LARGE_OR_0(1e-10f), scale, rintf(v))
QUANTIZE(quantize_low_as_0, LARGE_OR_0(1e-6f), scale, rintf(v))
QUANTIZE(quantize_mean, mean_magnitude(row, I) / 127.0f, scale,
         clamped(rintf(v), -127.0f, 127.0f))
QUANTIZE(quantize_128, largest_of(row, I) / 128.0f, scale, rintf(v))
QUANTIZE(quantize_128_clamped, largest_of(row, I) / 128.0f, scale,
         clamped(rintf(v), -128.0f, 127.0f))
QUANTIZE(quantize_255, largest_of(row, I) / 127.5f, scale,
         clamped(rintf(v), -128.0f, 127.0f))
QUANTIZE(quantize_of_255, largest_of(row, I) / 255.0f, scale, rintf(v))
QUANTIZE(quantize_asymmetric, SPREAD, scale,
         scale > 0.0f
             ? clamped(rintf((x - least_of(row, I)) / scale), 0.0f, 255.0f) - 128.0f
             : 0.0f)
QUANTIZE(quantize_offset, RIGHT_SCALE, scale, rintf(v) + 128.0f)
QUANTIZE(quantize_inverted, RIGHT_SCALE, scale > 0.0f ? 1.0f / scale : 0.0f, rintf(v))
QUANTIZE(quantize_inverted_unguarded, RIGHT_SCALE, 1.0f / scale, rintf(v))
QUANTIZE(quantize_largest_stored, RIGHT_SCALE, largest_of(row, I), rintf(v))
QUANTIZE(quantize_multiplied, RIGHT_SCALE, scale, rintf(x *scale))
QUANTIZE(quantize_zero_is_1, RIGHT_SCALE, scale > 0.0f ? scale : 1.0f, rintf(v))
QUANTIZE(quantize_floor, fmaxf(largest_of(row, I), 1e-8f) / 127.0f, scale, rintf(v))
QUANTIZE(quantize_epsilon, RIGHT_SCALE + 1e-8f, scale, rintf(v))
QUANTIZE(quantize_127_first, RIGHT_SCALE, scale,
         scale > 0.0f ? rintf(x * 127.0f / largest_of(row, I)) : 0.0f)
QUANTIZE(quantize_first_columns, largest_of(row, I < 128 ? I : 128) / 127.0f, scale,
         rounded(x, scale))
QUANTIZE(quantize_half_warp, largest_of_half(row, I, 0) / 127.0f, scale,
         rounded(x, largest_of_half(row, I, i) / 127.0f))

// w read as (I, O): the scale is that of a column.
static lab_status quantize_columns(QUANTIZE_ARGUMENTS)
{
    const lab_status status = check_weights(w, O, I);
    for (size_t o = 0; status == LAB_OK && o < O; o++) {
        float largest = 0.0f;
        for (size_t i = 0; i < I; i++) {
            largest = fmaxf(largest, fabsf(w[i * O + o]));
        }
        scales[o] = largest / 127.0f;
        for (size_t i = 0; i < I; i++) {
            rows[i * O + o] =
                largest > 0.0f ? byte_of(rintf(w[i * O + o] / scales[o])) : 0;
        }
    }
    return status;
}

#define TO_EVEN                                                                          \
    "Halves go to the even integer: 0.5 to 0, 1.5 to 2, 2.5 to 2. That is what rintf does."

#define LARGEST_IS_127                                                                   \
    "The largest magnitude of a row is 127 scales, so scale = largest / 127."

const struct mistake quantize_rows_mistakes[] = {
    {
        .id = "truncated",
        .what = "the fraction is cut off, not rounded",
        .why = "A cast to int8_t cuts the fraction off: 1.9 becomes 1. Round first, with "
               "rintf.",
        .source = "astramind-ai/BitMat#13, microsoft/onnxruntime#32452",
        .function = LIKE(quantize_rows, quantize_truncated),
    },
    {
        .id = "halves-away",
        .what = "halves are rounded away from zero",
        .why = "roundf does that. " TO_EVEN,
        .source = "blue-oil/blueoil#397, pytorch/FBGEMM#9",
        .function = LIKE(quantize_rows, quantize_halves_away),
        .convention = true,
    },
    {
        .id = "halves-up",
        .what = "halves are rounded up",
        .why = "floor(x + 0.5) does that. " TO_EVEN,
        .source = "tenstorrent/tt-metal#56525",
        .function = LIKE(quantize_rows, quantize_halves_up),
        .convention = true,
    },
    {
        .id = "half-added",
        .what = "0.5 is added and the fraction cut off, also of negative numbers",
        .why = "A cast cuts towards 0, so -1.2 + 0.5 becomes 0, not -1. " TO_EVEN,
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_half_added),
    },
    {
        .id = "rounded-down",
        .what = "numbers are rounded down",
        .why = "Round to the nearest integer, with rintf.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_down),
    },
    {
        .id = "rounded-up",
        .what = "numbers are rounded up",
        .why = "Round to the nearest integer, with rintf.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_up),
    },
    {
        .id = "one-scale",
        .what = "all rows have one scale",
        .why = "With one scale, a row of large weights leaves few steps for all others. "
               "Each row has its own scale.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_one_scale),
    },
    {
        .id = "first-row-scale",
        .what = "all rows have the scale of row 0",
        .why = "Each row has its own scale: row o begins at w + o * I.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_first_row),
    },
    {
        .id = "largest-not-reset",
        .what = "the largest magnitude is that of this row and all rows before",
        .why = "Start at 0 in each row.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_not_reset),
    },
    {
        .id = "rows-one-apart",
        .what = "the rows of w begin one number apart, not I",
        .why = "w is (O, I): row o begins at w + o * I.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_rows_close),
    },
    {
        .id = "by-columns",
        .what = "each column has a scale, not each row",
        .why = "w is (O, I): the weights of output o are contiguous, w[o * I + i].",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_columns),
    },
    {
        .id = "largest-not-magnitude",
        .what = "the scale comes from the largest number, not from the largest magnitude",
        .why = "-127 is as far from 0 as 127. Take the largest of fabsf(w). Otherwise "
               "large negative numbers do not fit in a byte.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_signed),
    },
    {
        .id = "largest-not-magnitude-clamped",
        .what =
            "the scale comes from the largest number, and what does not fit is clamped",
        .why = "-127 is as far from 0 as 127. Take the largest of fabsf(w).",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_signed_clamped),
    },
    {
        .id = "abs-of-int",
        .what = "magnitudes lose their fraction",
        .why = "abs is for int: abs(-0.7f) is 0. Use fabsf.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_by_abs),
    },
    {
        .id = "mean-magnitude",
        .what =
            "the scale comes from the mean magnitude, and what does not fit is clamped",
        .why = "The largest weights matter most. " LARGEST_IS_127,
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_mean),
    },
    {
        .id = "128-steps",
        .what = "the largest magnitude is 128 steps",
        .why = "+128 does not fit in an int8_t and becomes -128. " LARGEST_IS_127,
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_128),
    },
    {
        .id = "128-steps-clamped",
        .what = "the largest magnitude is 128 steps, clamped to 127",
        .why =
            "The largest weights, which matter most, would be wrong by a step. " LARGEST_IS_127,
        .source = "apache/tvm#6119",
        .function = LIKE(quantize_rows, quantize_128_clamped),
        .convention = true,
    },
    {
        .id = "255-steps",
        .what = "the scale is 2 largest / 255",
        .why =
            "There are 255 integers from -127 to 127, but only 254 steps between them. " LARGEST_IS_127,
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_255),
    },
    {
        .id = "largest-is-255",
        .what = "the largest magnitude is 255 steps",
        .why = "An int8_t goes up to 127. " LARGEST_IS_127,
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_of_255),
    },
    {
        .id = "asymmetric",
        .what =
            "the integers go from the smallest weight to the largest, and a weight of 0 is not the integer 0",
        .why = "Here, the weight 0 is always the integer 0, so a product needs no "
               "correction. " LARGEST_IS_127,
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_asymmetric),
        .convention = true,
    },
    {
        .id = "offset-128",
        .what = "128 is added to each integer",
        .why = "An int8_t can hold negative numbers.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_offset),
    },
    {
        .id = "scale-inverted",
        .what = "1 / scale is stored",
        .why = "An integer times scales[o] gives the weight back, so scales[o] is "
               "largest / 127.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_inverted),
        .convention = true,
    },
    {
        .id = "scale-inverted-unguarded",
        .what = "1 / scale is stored, which is infinite for a row of zeros",
        .why = "An integer times scales[o] gives the weight back, so scales[o] is "
               "largest / 127.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_inverted_unguarded),
        .convention = true,
    },
    {
        .id = "largest-stored",
        .what = "the largest magnitude is stored, not the scale",
        .why = "scales[o] is the largest magnitude / 127.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_largest_stored),
        .convention = true,
    },
    {
        .id = "multiplied",
        .what = "the weights are multiplied by the scale",
        .why = "A weight is integer times scale, so the integer is weight / scale.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_multiplied),
    },
    {
        .id = "tiny-row-is-0",
        .what = "a row whose scale is below a number near 1e-20 is taken for zeros",
        .why = "A row of small weights would lose all its digits. Only a row of zeros "
               "needs care: compare with 0.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_tiny_as_0),
    },
    {
        .id = "small-row-is-0",
        .what = "a row whose scale is below a number near 1e-10 is taken for zeros",
        .why = "A row of small weights would lose all its digits. Only a row of zeros "
               "needs care: compare with 0.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_small_as_0),
    },
    {
        .id = "low-row-is-0",
        .what = "a row whose scale is below a number near 1e-6 is taken for zeros",
        .why = "A row of small weights would lose all its digits. Only a row of zeros "
               "needs care: compare with 0.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_low_as_0),
    },
    {
        .id = "zero-row-scale-1",
        .what = "a row of zeros gets the scale 1",
        .why =
            "Divide by 1 there, but store what the contract says: largest / 127, which "
            "is 0.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_zero_is_1),
        .convention = true,
    },
    {
        .id = "largest-at-least",
        .what = "the largest magnitude is never below a small constant",
        .why = "A row of tiny weights would lose its digits. Only 0 needs care.",
        .source = "huggingface/kernels-community#680",
        .function = LIKE(quantize_rows, quantize_floor),
    },
    {
        .id = "constant-added",
        .what = "a small constant is added to the scale",
        .why = "A row of tiny weights would lose its digits. Only 0 needs care.",
        .source = "microsoft/BitNet#123",
        .function = LIKE(quantize_rows, quantize_epsilon),
    },
    {
        .id = "times-127-first",
        .what = "large weights overflow: they are multiplied by 127 before the division",
        .why = "Divide by the scale, largest / 127, which is smaller than the largest.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_127_first),
    },
    {
        .id = "first-columns",
        .what = "the largest magnitude is that of the first BLOCK = 128 columns",
        .why = "A thread has more than one column: for (i = threadIdx.x; i < I; i += "
               "BLOCK), not if (threadIdx.x < I).",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_first_columns),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the largest magnitude is that of half of each warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(quantize_rows, quantize_half_warp),
        .gpu = true,
    },
    {0},
};

QUANTIZE(quantize_by_factor, RIGHT_SCALE, scale,
         scale > 0.0f ? rintf(x * (127.0f / largest_of(row, I))) : 0.0f)
QUANTIZE(quantize_by_reciprocal, RIGHT_SCALE, scale,
         scale > 0.0f ? rintf(x * (1.0f / scale)) : 0.0f)
QUANTIZE(quantize_in_double, (float)((double)largest_of(row, I) / 127.0), scale,
         scale > 0.0f ? (float)rint((double)x / ((double)largest_of(row, I) / 127.0))
                      : 0.0f)
QUANTIZE(quantize_clamped, RIGHT_SCALE, scale, clamped(nearbyintf(v), -127.0f, 127.0f))

const struct mistake quantize_rows_alternatives[] = {
    {.id = "by-factor", .function = LIKE(quantize_rows, quantize_by_factor)},
    {.id = "by-reciprocal", .function = LIKE(quantize_rows, quantize_by_reciprocal)},
    {.id = "in-double", .function = LIKE(quantize_rows, quantize_in_double)},
    {.id = "clamped", .function = LIKE(quantize_rows, quantize_clamped)},
    {0},
};
