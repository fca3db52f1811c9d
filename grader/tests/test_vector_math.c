// test_vector_math.c - solutions/fast/common/vector_math.h keeps within the errors that it states.
//
// Every 997th of all 2^32 floats is tried against the C library's double functions: large and
// small, both signs, infinities and NaNs.

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "common/expect.h"
#include "fast/common/product.h"
#include "fast/common/vector_math.h"

enum { STEP = 997 }; // a prime, so that no bit pattern is left out

// The distance between neighboring floats at value.
static double ulp(double value)
{
    int exponent;
    frexp(fmax(value, FLT_MIN), &exponent);
    return ldexp(1.0, exponent - FLT_MANT_DIG);
}

Test(vector_math, exp_is_within_one_ulp_of_every_float)
{
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += STEP) {
        const float x = lab_bits_float((uint32_t)bits), got = lab_exp(x);
        const double expected = exp(x);
        if (isnan(x)) {
            cr_assert(isnan(got));
        } else if (expected >= (double)FLT_MAX) { // beyond this, infinity is right
            cr_assert(isinf(got) || got >= 0.999999f * FLT_MAX, "exp(%.9g)", (double)x);
        } else {
            cr_assert(fabs(got - expected) <= 1.0 * ulp(expected),
                      "exp(%.9g) is %.9g and should be %.9g", (double)x, (double)got,
                      expected);
        }
    }
}

Test(vector_math, exp_is_exact_where_softmax_needs_it)
{
    cr_expect(lab_exp(0.0f) == 1.0f && lab_exp(-0.0f) == 1.0f);
    cr_expect(lab_exp(-INFINITY) == 0.0f && lab_exp(INFINITY) == INFINITY);
    cr_expect(isnan(lab_exp(NAN)));
}

Test(vector_math, exp2_is_within_three_ulp_of_every_float)
{
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += STEP) {
        const float x = lab_bits_float((uint32_t)bits), got = lab_exp2(x);
        if (isnan(x)) {
            cr_assert(isnan(got));
        } else if (x >= 127.5f) {
            cr_assert(got >= 0x1p127f, "exp2(%.9g)", (double)x); // infinity from there on
        } else if (x < -126.5f) {
            cr_assert(got == 0.0f, "exp2(%.9g)", (double)x);
        } else {
            cr_assert(fabs(got - exp2(x)) <= 3.0 * ulp(exp2(x)),
                      "exp2(%.9g) is %.9g and should be %.9g", (double)x, (double)got,
                      exp2(x));
        }
    }
    cr_expect(lab_exp2(0.0f) == 1.0f && lab_exp2(-0.0f) == 1.0f);
    cr_expect(lab_exp2(-INFINITY) == 0.0f && lab_exp2(INFINITY) == INFINITY);
}

Test(vector_math, the_normal_distribution_is_as_close_as_stated)
{
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += STEP) {
        const float x = lab_bits_float((uint32_t)bits);
        const struct lab_normal got = lab_normal(x);
        if (isnan(x)) {
            cr_assert(isnan(got.cdf) && isnan(got.pdf));
            continue;
        }
        const double cdf = 0.5 * erfc(-x * 0.70710678118654752440);
        const double pdf = exp(-0.5 * (double)x * x) * 0.39894228040143267794;
        cr_assert(fabs(got.cdf - cdf) <= 2.5e-7, "cdf(%.9g)", (double)x);
        cr_assert(x <= -5.5f || fabs(got.cdf - cdf) <= 1e-6 * cdf, "cdf(%.9g)",
                  (double)x);
        cr_assert(fabs(got.pdf - pdf) <= 5e-8, "pdf(%.9g)", (double)x);
    }
}

Test(vector_math, exp_falling_is_exp_of_minus_x)
{
    for (float x = 0.0f; x < 120.0f; x += 0.0037f) {
        const float expected = lab_exp(-x), got = lab_exp_falling(x);
        cr_assert(fabsf(got - expected) <= 1e-7f * expected + 0x1p-126f, "exp(-%.9g)",
                  (double)x);
    }
    cr_expect(lab_exp_falling(0.0f) == 1.0f);
    cr_expect(fabsf(lab_exp_falling(INFINITY)) < 1e-42f);
}

Test(vector_math, copies_of_any_length_are_whole_and_no_longer)
{
    float from[20], to[20];
    for (size_t n = 0; n < 20; n++) {
        for (size_t i = 0; i < 20; i++) {
            from[i] = (float)i;
            to[i] = -1.0f;
        }
        lab_copy_few(to, from, n);
        for (size_t i = 0; i < 20; i++) {
            cr_expect(to[i] == (i < n ? from[i] : -1.0f), "n = %zu, i = %zu", n, i);
        }
    }
}

Test(vector_math, blocks_of_rows_are_below_the_limit_or_everything)
{
    const size_t sizes[] = {1, 2, 31, 32, 96, 128, 255, 256, 257, 1000, 4096};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (size_t i = 0; i < SIZES * SIZES * SIZES; i++) {
        const size_t N = sizes[i % SIZES], I = sizes[i / SIZES % SIZES],
                     O = sizes[i / SIZES / SIZES];
        const size_t rows = lab_rows_of_a_block(N, I, O);
        cr_expect(rows == N || (rows < N && rows >= 32 && rows * I * O <= 1000000),
                  "%zu rows of %zu at (%zu, %zu)", rows, N, I, O);
        const size_t at_once = lab_rows_at_once(N);
        cr_expect(at_once == 1 || at_once * N <= 2048);
    }
}

Test(vector_math, sums_and_products_of_any_length_are_right)
{
    float a[40], b[40];
    double sum = 0, dot = 0;
    for (size_t i = 0; i < 40; i++) {
        a[i] = (float)i - 7.0f;
        b[i] = 1.0f / (float)(i + 1);
    }
    for (size_t n = 0; n <= 40; n++) {
        cr_expect(is_close(lab_sum(a, n), (float)sum, 1e-5f, 1e-6f), "n = %zu", n);
        cr_expect(is_close(lab_dot(a, b, n), (float)dot, 1e-5f, 1e-6f), "n = %zu", n);
        sum += n < 40 ? a[n] : 0;
        dot += n < 40 ? (double)a[n] * b[n] : 0;
    }
}

Test(vector_math, small_products_of_any_shape_are_right)
{
    float a[11 * 5], b[5 * 19], out[11 * 19], transposed[11 * 5], again[11 * 19];
    for (size_t i = 0; i < 11 * 5; i++) {
        a[i] = (float)(i % 7) - 3.0f;
        transposed[i % 5 * 11 + i / 5] = a[i];
    }
    for (size_t i = 0; i < 5 * 19; i++) {
        b[i] = (float)(i % 11) - 5.0f;
    }
    lab_small_product(out, 0.5f, a, 5, 1, b, 11, 19, 5);
    lab_small_product(again, 0.5f, transposed, 1, 11, b, 11, 19, 5);
    for (size_t m = 0; m < 11; m++) {
        for (size_t n = 0; n < 19; n++) {
            float sum = 0;
            for (size_t k = 0; k < 5; k++) {
                sum += a[m * 5 + k] * b[k * 19 + n];
            }
            cr_expect(out[m * 19 + n] == 0.5f * sum && again[m * 19 + n] == 0.5f * sum);
        }
    }
}
