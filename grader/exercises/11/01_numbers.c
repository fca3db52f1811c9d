// 01_numbers.c - exercise 11.1, numbers of two bytes: cases, known mistakes and hints.
//
// No result is rounded, so each must be exactly right. That -0 keeps its sign is a property, because
// as numbers 0 and -0 are equal.

#include "exercises/exercise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- cases ----------------------------------------------------------------------------------

// The lower byte comes first.
static void set_pattern(struct test_case *test, size_t n, uint32_t pattern)
{
    case_u8(test, "bytes")[2 * n] = (uint8_t)(pattern & 0xff);
    case_u8(test, "bytes")[2 * n + 1] = (uint8_t)(pattern >> 8);
}

// A bfloat16 and a half differ in the pattern of infinity; those above it are NaN.
enum { BFLOAT16_INFINITY = 0x7f80, HALF_INFINITY = 0x7c00, SIGN = 0x8000 };

// From the first pattern on; then the same with the sign bit.
static void fill_both_signs(struct test_case *test, uint32_t first)
{
    const size_t half = case_dim(test, "N") / 2;
    for (size_t n = 0; n < half; n++) {
        set_pattern(test, n, first + (uint32_t)n);
        set_pattern(test, half + n, SIGN + first + (uint32_t)n);
    }
}

// Every pattern up to that of infinity, with both signs. The last numbers of N, which is above 65536, begin
// again.
static void fill_patterns(struct test_case *test, uint32_t infinity)
{
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const uint32_t pattern = (uint32_t)(n / 2) % (infinity + 1);
        set_pattern(test, n, n % 2 == 0 ? pattern : SIGN + pattern);
    }
}

static void fill_bfloat16_patterns(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_patterns(test, BFLOAT16_INFINITY);
}

static void fill_half_patterns(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_patterns(test, HALF_INFINITY);
}

static void fill_bfloat16_nan(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_both_signs(test, BFLOAT16_INFINITY);
}

static void fill_half_nan(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_both_signs(test, HALF_INFINITY);
}

static void fill_finite(struct test_case *test, struct lab_rng *rng, uint32_t infinity)
{
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const uint32_t draw = lab_rng_next32(rng);
        set_pattern(test, n, (draw & 0x7fff) % infinity + (draw >> 16 & SIGN));
    }
}

static void fill_bfloat16(struct test_case *test, struct lab_rng *rng)
{
    fill_finite(test, rng, BFLOAT16_INFINITY);
}

static void fill_half(struct test_case *test, struct lab_rng *rng)
{
    fill_finite(test, rng, HALF_INFINITY);
}

// LIST(name, patterns...): a fill
#define LIST(name, ...)                                                                  \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        static const uint32_t patterns[] = {__VA_ARGS__};                                \
        (void)rng;                                                                       \
        for (size_t n = 0; n < case_dim(test, "N"); n++) {                               \
            set_pattern(test, n, patterns[n]);                                           \
        }                                                                                \
    }

LIST(fill_bfloat16_example, 0x3f80, 0xc049)
LIST(fill_bfloat16_plain, 0x4000, 0x3f00, 0xbf40, 0x42c8, 0xc2c8)
LIST(fill_bfloat16_low_byte, 0x3f7f, 0x3f81, 0x3fff)
LIST(fill_bfloat16_ends, 0x0000, 0x8000, 0x7f7f, 0xff7f, 0x7f80, 0xff80)
LIST(fill_bfloat16_small, 0x0001, 0x0040, 0x807f, 0x0080, 0x8081)
LIST(fill_half_example, 0x3c00, 0x0001)
LIST(fill_half_plain, 0x4000, 0x3800, 0xba00, 0x5640, 0xd640)
LIST(fill_half_low_byte, 0x3c7f, 0x3c80, 0x3cff)
LIST(fill_half_ends, 0x0000, 0x8000, 0x7bff, 0xfbff, 0x7c00, 0xfc00)
LIST(fill_half_small, 0x0200, 0x8001, 0x03ff, 0x0400, 0x8401)

#define ALL_BUT_NAN "every pattern but those of NaN"
#define NAN_PATTERNS "infinity, and every pattern of NaN"

static const struct case_spec bfloat16_cases[] = {
    {.dims = "N=2", .fill = fill_bfloat16_example, .note = "1 and -3.140625"},
    {.dims = "N=5", .fill = fill_bfloat16_plain, .note = "2, 0.5, -0.75, 100, -100"},
    {.dims = "N=3", .fill = fill_bfloat16_low_byte, .note = "lower bytes above 127"},
    {.dims = "N=6", .fill = fill_bfloat16_ends, .note = "zeros, infinities"},
    {.dims = "N=5", .fill = fill_bfloat16_small, .note = "subnormal numbers"},
    {.dims = "N=7..20", .draws = 3, .fill = fill_bfloat16},
    {.dims = "N=65540", .fill = fill_bfloat16_patterns, .note = ALL_BUT_NAN},
    {.dims = "N=256", .fill = fill_bfloat16_nan, .nan = true, .note = NAN_PATTERNS},
    {.dims = "N=64", .fill = fill_bfloat16, .note = "exactly 64 numbers"},
    {.dims = "N=0", .fill = fill_half, .note = "a size of 0"},
    {0},
};

static const struct case_spec half_cases[] = {
    {.dims = "N=2", .fill = fill_half_example, .note = "1 and the smallest number"},
    {.dims = "N=5", .fill = fill_half_plain, .note = "2, 0.5, -0.75, 100, -100"},
    {.dims = "N=3", .fill = fill_half_low_byte, .note = "lower bytes above 127"},
    {.dims = "N=6", .fill = fill_half_ends, .note = "zeros, infinities"},
    {.dims = "N=5", .fill = fill_half_small, .note = "subnormal numbers"},
    {.dims = "N=7..20", .draws = 3, .fill = fill_half},
    {.dims = "N=65540", .fill = fill_half_patterns, .note = ALL_BUT_NAN},
    {.dims = "N=2048", .fill = fill_half_nan, .nan = true, .note = NAN_PATTERNS},
    {.dims = "N=64", .fill = fill_half, .note = "exactly 64 numbers"},
    {.dims = "N=0", .fill = fill_half, .note = "a size of 0"},
    {0},
};

// ---- the sign -------------------------------------------------------------------------------

// 0, and random numbers.
static void fill_without_sign(struct test_case *test, struct lab_rng *rng)
{
    fill_half(test, rng);
    set_pattern(test, 0, 0);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_u8(test, "bytes")[2 * n + 1] &= 0x7f;
    }
}

static void set_the_sign(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    for (size_t n = 0; n < case_dim(second, "N"); n++) {
        case_u8(second, "bytes")[2 * n + 1] |= 0x80;
    }
}

// BEGIN HANDED OUT
static bool only_the_sign_changes(const struct test_case *first,
                                  const struct test_case *second, char *why,
                                  size_t why_size)
{
    const float *plus = case_got(first, "y"), *minus = case_got(second, "y");
    for (size_t n = 0; n < case_dim(first, "N"); n++) {
        if (signbit(plus[n]) || !signbit(minus[n]) || plus[n] != -minus[n]) {
            snprintf(why, why_size,
                     "y[%zu] is %g without the sign bit, and %g with it; should be %g "
                     "and %g",
                     n, (double)plus[n], (double)minus[n], fabs((double)plus[n]),
                     -fabs((double)plus[n]));
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property sign_properties[] = {
    {
        .id = "sign",
        .claim = "the sign bit makes y negative, also 0",
        .dims = "N=4",
        .fill = fill_without_sign,
        .change = set_the_sign,
        HOLDS(only_the_sign_changes),
    },
    {0},
};

// ---- bfloat16_to_float ----------------------------------------------------------------------

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The value is an expression of bytes, n, and of what the pattern consists of.
#define READ(name, exponent_bits, fraction_bits, value)                                  \
    static lab_status name(float *y, const uint8_t *bytes, size_t N)                     \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            const uint32_t low = bytes[2 * n], high = bytes[2 * n + 1];                  \
            const uint32_t pattern = high << 8 | low;                                    \
            const float sign = high >> 7 != 0 ? -1.0f : 1.0f;                            \
            const int e =                                                                \
                (int)(pattern >> (fraction_bits) & ((1 << (exponent_bits)) - 1));        \
            const float f = (float)(pattern & ((1 << (fraction_bits)) - 1));             \
            (void)sign, (void)e, (void)f;                                                \
            y[n] = value;                                                                \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

#define BFLOAT16(name, value) READ(name, 8, 7, value)
#define BFLOAT16_VALUE of_bits(pattern << 16)

// A byte as a signed char, as a uint32_t.
#define SIGN_EXTENDED(byte) ((uint32_t)(int8_t)(byte))

// What a half with these bytes is.
static float half_of(uint32_t low, uint32_t high)
{
    float value;
    const uint8_t bytes[] = {(uint8_t)low, (uint8_t)high};
    return float16_to_float(&value, bytes, 1) == LAB_OK ? value : 0.0f;
}

BFLOAT16(bfloat16_swapped, of_bits(low << 24 | high << 16))
BFLOAT16(bfloat16_lower_half, of_bits(pattern))
BFLOAT16(bfloat16_converted, (float)(pattern << 16))
BFLOAT16(bfloat16_pattern_converted, (float)pattern)
BFLOAT16(bfloat16_overlapping,
         of_bits((uint32_t)bytes[n + 1] << 24 | (uint32_t)bytes[n] << 16))
BFLOAT16(bfloat16_signed, of_bits(high << 24 | SIGN_EXTENDED(low) << 16))
BFLOAT16(bfloat16_as_half, half_of(low, high))
BFLOAT16(bfloat16_upper_byte, of_bits(high << 24))
BFLOAT16(bfloat16_no_sign, fabsf(BFLOAT16_VALUE))
BFLOAT16(bfloat16_flushed, e == 0 ? 0.0f : BFLOAT16_VALUE)
BFLOAT16(bfloat16_nan_infinite, e == 255 ? sign * INFINITY : BFLOAT16_VALUE)
BFLOAT16(bfloat16_infinity_nan, e == 255 ? NAN : BFLOAT16_VALUE)
BFLOAT16(bfloat16_all_normal, sign *ldexpf(1.0f + f / 128.0f, e - 127))
BFLOAT16(bfloat16_normal_or_0,
         pattern << 17 == 0 ? 0.0f : sign * ldexpf(1.0f + f / 128.0f, e - 127))

#define COPY_THE_BITS                                                                    \
    "Put the two bytes into the upper half of a uint32_t, then copy its bits into the "  \
    "float: memcpy(&y[n], &bits, sizeof y[n])."
#define LOWER_FIRST                                                                      \
    "The files are little-endian: bytes[2n] is the lower byte, and bytes[2n + 1] the "   \
    "upper one, with the sign."

static const struct mistake bfloat16_mistakes[] = {
    {
        .id = "bytes-swapped",
        .what = "the two bytes are swapped",
        .why = LOWER_FIRST,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_swapped),
    },
    {
        .id = "lower-half",
        .what = "the two bytes are in the lower half of the float",
        .why = "A bfloat16 is the upper half: shift the pattern left by 16 bits.",
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_lower_half),
    },
    {
        .id = "converted",
        .what = "the 32 bits are converted to a float as an integer",
        .why = "y[n] = bits converts the number. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_converted),
    },
    {
        .id = "pattern-converted",
        .what = "the two bytes are converted to a float as an integer",
        .why = COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_pattern_converted),
    },
    {
        .id = "overlapping",
        .what = "number n is read from the bytes n and n + 1",
        .why = "Each number has its own two bytes: 2n and 2n + 1.",
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_overlapping),
    },
    {
        .id = "signed-bytes",
        .what = "a lower byte above 127 sets all bits above it",
        .why =
            "As a signed char, a byte above 127 is negative, and its upper bits become "
            "ones when it is widened. Read the bytes as uint8_t.",
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_signed),
    },
    {
        .id = "as-half",
        .what = "the bytes are read as a half",
        .why = "A half has 5 bits of exponent, a bfloat16 has 8, like a float.",
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_as_half),
    },
    {
        .id = "upper-byte-alone",
        .what = "the lower byte is lost",
        .why = "The lower byte has the last bit of the exponent and the fraction.",
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_upper_byte),
    },
    {
        .id = "no-sign",
        .what = "no result is negative",
        .why = "The first bit is the sign. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_no_sign),
    },
    {
        .id = "subnormals-are-0",
        .what = "numbers below 2^-126, the subnormal ones, are 0",
        .why = "A float has them, too. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_flushed),
    },
    {
        .id = "nan-is-infinite",
        .what = "every NaN is infinity",
        .why = "With all bits of the exponent set, a fraction other than 0 means "
               "NaN. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_nan_infinite),
    },
    {
        .id = "infinity-is-nan",
        .what = "infinity is NaN",
        .why = "With all bits of the exponent set, a fraction of 0 means "
               "infinity. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_infinity_nan),
    },
    {
        .id = "all-normal",
        .what = "every pattern is computed as (1 + f / 128) * 2^(e - 127)",
        .why = "Zero, the subnormal numbers, infinity and NaN have other rules. A float "
               "has the same rules, so nothing needs to be computed. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_all_normal),
    },
    {
        .id = "all-normal-but-0",
        .what = "every pattern except 0 is computed as (1 + f / 128) * 2^(e - 127)",
        .why =
            "The subnormal numbers, infinity and NaN have other rules. A float has the "
            "same rules, so nothing needs to be computed. " COPY_THE_BITS,
        .source = NULL,
        .function = LIKE(bfloat16_to_float, bfloat16_normal_or_0),
    },
    {0},
};

BFLOAT16(bfloat16_computed,
         e == 255 ? (f == 0.0f ? sign * INFINITY : NAN)
                  : sign * ldexpf(e == 0 ? f / 64.0f : 1.0f + f / 128.0f, e - 127))

static const struct mistake bfloat16_alternatives[] = {
    {.id = "computed", .function = LIKE(bfloat16_to_float, bfloat16_computed)},
    {0},
};

// ---- float16_to_float -----------------------------------------------------------------------

#define HALF(name, value) READ(name, 5, 10, value)

// The size of a half, without its sign.
static float half_size(int e, float f)
{
    if (e == 31) {
        return f == 0.0f ? INFINITY : NAN;
    }
    return e == 0 ? ldexpf(f, -24) : ldexpf(1024.0f + f, e - 25);
}

// Another size for e = 0, for e = 31, or for the others.
#define AT_0(size) sign *(e == 0 ? (size) : half_size(e, f))
#define AT_31(size) sign *(e == 31 ? (size) : half_size(e, f))
#define BETWEEN(size) sign *(e == 0 || e == 31 ? half_size(e, f) : (size))
#define NORMAL ldexpf(1024.0f + f, e - 25)

HALF(half_swapped, half_of(high, low))
HALF(half_as_bfloat16, of_bits(pattern << 16))
HALF(half_overlapping, half_of(bytes[n], bytes[n + 1]))
HALF(half_signed, low > 127 ? half_of(low, 0xff) : half_of(low, high))
HALF(half_no_sign, half_size(e, f))
HALF(half_sign_added, half_size(e, f) - (high > 127 ? 1.0f : 0.0f))
HALF(half_flushed, AT_0(0.0f))
HALF(half_exponent_15, AT_0(ldexpf(f, -25)))
HALF(half_subnormals_normal, AT_0(f == 0.0f ? 0.0f : NORMAL))
HALF(half_zero_normal, AT_0(NORMAL))
HALF(half_all_normal, sign *NORMAL)
HALF(half_all_normal_but_0, pattern << 17 == 0 ? 0.0f : sign * NORMAL)
HALF(half_subnormal_unsigned, e == 0 ? half_size(e, f) : sign * half_size(e, f))
HALF(half_infinity_normal, AT_31(NORMAL))
HALF(half_nan_infinite, AT_31(INFINITY))
HALF(half_infinity_nan, AT_31(NAN))
HALF(half_infinity_unsigned, e == 31 ? half_size(e, f) : sign * half_size(e, f))
HALF(half_infinite_from_30, sign *half_size(e == 30 ? 31 : e, f))
HALF(half_no_hidden_1, BETWEEN(ldexpf(f, e - 25)))
HALF(half_bias_16, BETWEEN(NORMAL / 2.0f))
HALF(half_bias_14, BETWEEN(NORMAL * 2.0f))
HALF(half_over_1023, sign *(e == 0    ? ldexpf(f / 1023.0f, -14)
                            : e == 31 ? half_size(e, f)
                                      : ldexpf(1.0f + f / 1023.0f, e - 15)))
HALF(half_whole_division, BETWEEN(ldexpf(1.0f, e - 15)))
HALF(half_not_rebased, of_bits((pattern & SIGN) << 16 | (pattern & 0x7fff) << 13))

#define LIKE_HALF(f) .source = NULL, .function = LIKE(float16_to_float, f)

static const struct mistake half_mistakes[] = {
    {
        .id = "bytes-swapped",
        .what = "the two bytes are swapped",
        .why = LOWER_FIRST,
        LIKE_HALF(half_swapped),
    },
    {
        .id = "as-bfloat16",
        .what = "the bytes are read as a bfloat16",
        .why = "A bfloat16 has 8 bits of exponent, a half has 5.",
        LIKE_HALF(half_as_bfloat16),
    },
    {
        .id = "overlapping",
        .what = "number n is read from the bytes n and n + 1",
        .why = "Each number has its own two bytes: 2n and 2n + 1.",
        LIKE_HALF(half_overlapping),
    },
    {
        .id = "signed-bytes",
        .what = "a lower byte above 127 sets all bits above it",
        .why =
            "As a signed char, a byte above 127 is negative, and its upper bits become "
            "ones when it is widened. Read the bytes as uint8_t.",
        LIKE_HALF(half_signed),
    },
    {
        .id = "no-sign",
        .what = "no result is negative",
        .why = "The upper bit of bytes[2n + 1] is the sign.",
        LIKE_HALF(half_no_sign),
    },
    {
        .id = "sign-subtracted",
        .what = "1 is subtracted where the sign bit is set",
        .why = "The sign bit makes the number negative: y[n] = -size.",
        LIKE_HALF(half_sign_added),
    },
    {
        .id = "subnormals-are-0",
        .what = "numbers with e = 0 are 0, whatever f is",
        .why = "They are f / 1024 * 2^-14, which is 0 only if f is. A float holds them "
               "all.",
        LIKE_HALF(half_flushed),
    },
    {
        .id = "subnormals-halved",
        .what = "numbers with e = 0 are f / 1024 * 2^-15",
        .why = "For e = 0 the power is 2^-14, the same as for e = 1, so that there is "
               "no gap between them.",
        LIKE_HALF(half_exponent_15),
    },
    {
        .id = "subnormals-are-normal",
        .what = "for e = 0, 1 is added to f / 1024, unless f is 0",
        .why = "The hidden 1 belongs to 0 < e < 31 only: e = 0 means f / 1024 * 2^-14.",
        LIKE_HALF(half_subnormals_normal),
    },
    {
        .id = "e-0-is-normal",
        .what = "for e = 0, 1 is added to f / 1024, and 0 becomes 2^-15",
        .why = "The hidden 1 belongs to 0 < e < 31 only: e = 0 means f / 1024 * 2^-14.",
        LIKE_HALF(half_zero_normal),
    },
    {
        .id = "all-normal",
        .what = "every pattern is computed as (1 + f / 1024) * 2^(e - 15)",
        .why = "That holds for 0 < e < 31. Zero, the subnormal numbers, infinity and "
               "NaN have their own rules.",
        LIKE_HALF(half_all_normal),
    },
    {
        .id = "all-normal-but-0",
        .what = "every pattern except 0 is computed as (1 + f / 1024) * 2^(e - 15)",
        .why = "That holds for 0 < e < 31. The subnormal numbers, infinity and NaN "
               "have their own rules.",
        LIKE_HALF(half_all_normal_but_0),
    },
    {
        .id = "infinity-is-65536",
        .what = "e = 31 is computed as any other exponent: infinity becomes 65536",
        .why = "e = 31 means infinity if f is 0, else NaN.",
        LIKE_HALF(half_infinity_normal),
    },
    {
        .id = "nan-is-infinite",
        .what = "every NaN is infinity",
        .why = "e = 31 means infinity only if f is 0, else NaN.",
        LIKE_HALF(half_nan_infinite),
    },
    {
        .id = "infinity-is-nan",
        .what = "infinity is NaN",
        .why = "e = 31 means NaN only if f is not 0; otherwise infinity.",
        LIKE_HALF(half_infinity_nan),
    },
    {
        .id = "subnormals-without-sign",
        .what = "the subnormal numbers, those below 2^-14, are never negative",
        .why = "The sign bit holds for every e.",
        LIKE_HALF(half_subnormal_unsigned),
    },
    {
        .id = "infinity-without-sign",
        .what = "-infinity is infinity",
        .why = "The sign bit holds for every e.",
        LIKE_HALF(half_infinity_unsigned),
    },
    {
        .id = "infinite-from-30",
        .what = "numbers with e = 30 are infinite or NaN",
        .why =
            "Only e = 31, five ones, stands for infinity and NaN. e = 30 belongs to the "
            "largest numbers, up to 65504.",
        LIKE_HALF(half_infinite_from_30),
    },
    {
        .id = "no-hidden-1",
        .what = "1 is not added to f / 1024",
        .why = "For 0 < e < 31 the number is (1 + f / 1024) * 2^(e - 15): the 1 is not "
               "stored.",
        LIKE_HALF(half_no_hidden_1),
    },
    {
        .id = "bias-16",
        .what = "2^(e - 16) is used instead of 2^(e - 15)",
        .why = "The bias is 15: half of 31, rounded down. So e = 15 means 2^0.",
        LIKE_HALF(half_bias_16),
    },
    {
        .id = "bias-14",
        .what = "2^(e - 14) is used instead of 2^(e - 15)",
        .why = "The bias is 15; -14 is the exponent of the subnormal numbers.",
        LIKE_HALF(half_bias_14),
    },
    {
        .id = "over-1023",
        .what = "f is divided by 1023",
        .why = "10 bits of fraction count steps of 1/1024.",
        LIKE_HALF(half_over_1023),
    },
    {
        .id = "whole-number-division",
        .what = "f / 1024 is always 0",
        .why = "In C, the quotient of two integers is rounded toward 0. Divide floats: "
               "(float)f / 1024.0f.",
        LIKE_HALF(half_whole_division),
    },
    {
        .id = "exponent-not-changed",
        .what = "the exponent's bits are copied to the float unchanged",
        .why = "A float's exponent is larger by 127 - 15 = 112. Compute the number with "
               "ldexpf, or add 112 << 23.",
        LIKE_HALF(half_not_rebased),
    },
    {0},
};

// Shifts the bits into place; a product with 2^112 corrects the exponent.
HALF(half_by_product,
     e == 31 ? of_bits((pattern & SIGN) << 16 | 0x7f800000 | (pattern & 0x3ff) << 13)
             : of_bits((pattern & SIGN) << 16 | (pattern & 0x7fff) << 13) * 0x1p112f)
HALF(half_by_pow, e == 0 || e == 31
                      ? sign * half_size(e, f)
                      : sign * (float)(pow(2.0, e - 15) * (1.0 + (double)f / 1024.0)))

static const struct mistake half_alternatives[] = {
    {.id = "by-product", .function = LIKE(float16_to_float, half_by_product)},
    {.id = "by-pow", .function = LIKE(float16_to_float, half_by_pow)},
    {0},
};

// ---- tables -----------------------------------------------------------------------------------

static const struct part numbers_parts[] = {
    {
        .function = "bfloat16_to_float",
        .dims = "N",
        .tensors = {{"y", "N", OUTPUT, F32, 0, 0}, {"bytes", "N 2", INPUT, U8, 0, 0}},
        .cases = bfloat16_cases,
        .properties = sign_properties,
        .mistakes = bfloat16_mistakes,
        .alternatives = bfloat16_alternatives,
    },
    {
        .function = "float16_to_float",
        .dims = "N",
        .tensors = {{"y", "N", OUTPUT, F32, 0, 0}, {"bytes", "N 2", INPUT, U8, 0, 0}},
        .cases = half_cases,
        .properties = sign_properties,
        .mistakes = half_mistakes,
        .alternatives = half_alternatives,
    },
    {0},
};

const struct exercise exercise_11_1 = {
    .id = "11.1",
    .name = "bfloat16_to_float and float16_to_float",
    .section = "11.1 Numbers of two bytes",
    .hints =
        {
            "Write one number down in bits, by hand: 1 is 0 01111111 0000000 as a "
            "bfloat16 and 0 01111 0000000000 as a half. Which of the two bytes has the "
            "sign? For a bfloat16, no arithmetic is needed.",
            "pattern = bytes[2n + 1] * 256 + bytes[2n]. A bfloat16: the float with the "
            "bits pattern << 16, copied with memcpy. A half: sign = pattern >> 15, e = "
            "pattern >> 10 & 31, f = pattern & 1023, then the three rules of the header.",
            "bfloat16_to_float: bits = high << 24 | low << 16, as uint32_t; "
            "memcpy(&y[n], &bits, 4)\n"
            "float16_to_float: if e == 0: size = ldexpf(f / 1024.0f, -14)\n"
            "    else if e < 31: size = ldexpf(1 + f / 1024.0f, e - 15)\n"
            "    else: size = f == 0 ? INFINITY : NAN\n"
            "    y[n] = sign ? -size : size",
        },
    .parts = numbers_parts,
};
