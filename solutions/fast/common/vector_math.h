// vector_math.h - exp and the normal distribution in a form that compilers can vectorize.
//
// expf and erff are calls into the C library, so a loop over them handles one number at a
// time. The functions here have no branches and no tables. In a loop, the compiler can
// compute 4, 8 or 16 numbers at once, depending on the machine, without -ffast-math:
//
//     for (size_t i = 0; i < n; i++) {
//         y[i] = lab_exp(x[i]);
//     }
//
// This file solves two more problems of vectorized loops. A sum must be added in the order
// written; lab_sum and lab_dot keep eight sums side by side instead. And a program built
// for every x86-64 machine may use only 4 floats at once; LAB_WIDE removes this limit.
//
// Largest errors over all floats (grader/tests/test_vector_math.c; one ULP is the distance
// between neighboring floats at the result):
//
//     lab_exp          1 ULP; exactly 1 at 0, 0 at -infinity, infinity above 88.73
//     lab_exp2         3 ULP; exactly 1 at 0, 0 below -126.5, infinity above 127.5
//     lab_normal.cdf    2.5e-7 absolute, and for x > -5.5 also 1e-6 relative
//     lab_normal.pdf   5e-8 absolute
//
// NaN gives NaN. Sources: the reduction to |r| <= log(2) / 2 is from Cody and Waite,
// Software Manual for the Elementary Functions (1980). The polynomials were fitted for this
// file to minimise the relative error.

#ifndef LAB_VECTOR_MATH_H
#define LAB_VECTOR_MATH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Write it before a static function. The function is compiled three times, for vectors of
// 16, 8 and 4 floats, and at program start the widest version that the machine supports is
// chosen. A product and a sum may become one instruction with one rounding, so the last bit
// may differ between machines, as with BLAS. On one machine the same call always gives the
// same bits.
#define LAB_WIDE
#define LAB_INLINE static inline __attribute__((no_sanitize("undefined")))
#if defined(__has_feature)
#define LAB_HAS_FEATURE(name) __has_feature(name)
#else
#define LAB_HAS_FEATURE(name) 0
#endif
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) &&   \
    !defined(__SANITIZE_THREAD__) && !LAB_HAS_FEATURE(address_sanitizer) &&              \
    !LAB_HAS_FEATURE(thread_sanitizer)
#undef LAB_WIDE
#define LAB_HAS_WIDE // LAB_WIDE has an effect
#if defined(__clang__)
#define LAB_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#if __GNUC__ >= 12
#define LAB_AVX2 "arch=x86-64-v3" // AVX2 with FMA, which multiplies and adds in one step
#else
#define LAB_AVX2 "avx2"
#endif
// gcc -O2 does not vectorize loops of unknown length. With traps, which nobody sets here, gcc makes a
// branch of each comparison, and without AVX-512 it does not vectorize loops with branches.
#define LAB_WIDE                                                                         \
    __attribute__((target_clones("avx512f", LAB_AVX2, "default"),                        \
                   optimize("O3", "fp-contract=fast", "no-trapping-math")))
#endif
// Forces inlining, also into LAB_WIDE functions, which are compiled for other instruction
// sets. (Not under a sanitizer, where nothing is wide and inlining only slows down
// compilation. Integers overflow on purpose here.)
#undef LAB_INLINE
#define LAB_INLINE static inline __attribute__((always_inline))
#endif

LAB_INLINE uint32_t lab_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

LAB_INLINE float lab_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// exp(x) = 2^n exp(r), where n is x / log 2, rounded, and r is the rest, |r| <= log(2) / 2.
// Returns exp(r) and n, for |x| up to 104.
LAB_INLINE float lab_exp_parts(float x, uint32_t *n)
{
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the lowest bits of the sum.
    const float shift = 0x1.8p23f;
    const float shifted = x * 0x1.715476p0f + shift;
    const float rounded = shifted - shift;
    *n = lab_float_bits(shifted) - lab_float_bits(shift); // two's complement

    // r = x - n log 2, with log 2 split in two parts so that n times the first part is
    // exact.
    const float r = (x - rounded * 0x1.62e4p-1f) - rounded * 0x1.7f7d1cp-20f;

    // exp(r) = 1 + r + r^2 q(r)
    float q = 0.0013814602f;
    q = q * r + 0.008368717f;
    q = q * r + 0.04166839f;
    q = q * r + 0.16666521f;
    q = q * r + 0.49999994f;
    return q * (r * r) + r + 1.0f;
}

LAB_INLINE float lab_exp(float given)
{
    // Beyond +-104 the result is infinity or 0. The comparison uses integers, because
    // positive floats have the same order as their bits, and comparing floats would create
    // a branch.
    const int32_t sign = (int32_t)(lab_float_bits(given) & 0x80000000u);
    const int32_t size = (int32_t)(lab_float_bits(given) & 0x7fffffffu);
    const int32_t most = 0x42d00000; // the bits of 104
    const float x = lab_bits_float((uint32_t)(sign | (size < most ? size : most)));

    // times 2^n, in two steps, because n runs from -150 to 128 and 2^n alone may not be a
    // float
    uint32_t n;
    const float y = lab_exp_parts(x, &n);
    const uint32_t half = (uint32_t)((int32_t)n >> 1);
    const float first = lab_bits_float((half + 127u) << 23);
    const float second = lab_bits_float((n - half + 127u) << 23);
    const uint32_t nan = size > 0x7f800000 ? (uint32_t)size : 0; // NaN is beyond infinity
    return y * first * second + lab_bits_float(nan);
}

// 2^x, with half of the work of lab_exp(x log 2). Results below 2^-126.5 are 0.
LAB_INLINE float lab_exp2(float given)
{
    // NaN stays: it is neither below nor above
    const float below = given > 128.0f ? 128.0f : given;
    const float x = below < -127.0f ? -127.0f : below;

    // x = n + r, as in lab_exp_parts. With 127 more, the lowest bits of the sum are n + 127, which
    // is the exponent field of 2^n.
    const float shift = 0x1.8p23f + 127.0f;
    const float shifted = x + shift;
    const float r = x - (shifted - shift);
    const float two_to_n = lab_bits_float(lab_float_bits(shifted) << 23);

    // 2^r, relative error 9.4e-8
    float q = 0.0013269519f;
    q = q * r + 0.009671291f;
    q = q * r + 0.05550711f;
    q = q * r + 0.24022247f;
    q = q * r + 0.693147f;
    return (q * r + 1.0f) * two_to_n;
}

// exp(-x) for x >= 0, with half of the work of lab_exp(-x). Results below 2^-102 have an
// absolute error of up to 2^-126, and NaN gives 0.
LAB_INLINE float lab_exp_falling(float x)
{
    // Up to x = 87.33653, where exp(-x) is 2^-126, adding n to the exponent of y multiplies
    // it by 2^n.
    const int32_t size = (int32_t)lab_float_bits(x);
    const int32_t most = 0x42aeac4e; // the bits of 87.33653
    uint32_t n;
    const float y =
        lab_exp_parts(-lab_bits_float((uint32_t)(size < most ? size : most)), &n);
    return lab_bits_float(lab_float_bits(y) + (n << 23)) - 0x1p-126f; // 0 from there on
}

// The standard normal distribution.
struct lab_normal {
    float cdf; // probability of a value below x: (1 + erf(x / sqrt 2)) / 2
    float pdf; // its derivative: exp(-x^2 / 2) / sqrt(2 pi)
};

// Both use exp(-x^2 / 2): cdf(-|x|) is that times a smooth function of |x|.
LAB_INLINE struct lab_normal lab_normal(float x)
{
    const float bell = lab_exp_falling(0.5f * x * x);

    // cdf(-|x|) / bell is a polynomial in t = 1 / (1 + 0.35 |x|), with a relative error of
    // 3.2e-8
    const float t = 1.0f / (1.0f + 0.35f * fabsf(x));
    float p = -0.029163675f;
    p = p * t + 0.14405958f;
    p = p * t + -0.2558994f;
    p = p * t + 0.15939018f;
    p = p * t + -0.02326205f;
    p = p * t + 0.1055741f;
    p = p * t + 0.119815655f;
    p = p * t + 0.13986431f;
    p = p * t + 0.13962126f;
    const float below = bell * p * t;

    // below for x < 0, else 1 - below
    // all ones, or 0
    const uint32_t negative = (uint32_t)((int32_t)lab_float_bits(x) >> 31);
    const uint32_t cdf =
        (lab_float_bits(below) & negative) | (lab_float_bits(1.0f - below) & ~negative);
    const float nan = t - t; // NaN if x is NaN, else 0
    return (struct lab_normal){lab_bits_float(cdf), bell * 0.39894228f + nan};
}

// Eight floats; + and * work on all eight at once. This is an extension of gcc and clang,
// which use the vectors that the machine has.
enum { LAB_LANES = 8 };
typedef float lab_lanes __attribute__((vector_size(LAB_LANES * sizeof(float))));

#define LAB_LOAD(lanes, from) memcpy(&(lanes), from, sizeof(lab_lanes))
#define LAB_STORE(to, lanes) memcpy(to, &(lanes), sizeof(lab_lanes))

// The sum of eight floats side by side, in pairs.
#define LAB_ADD_LANES(sum)                                                               \
    ((((sum)[0] + (sum)[4]) + ((sum)[1] + (sum)[5])) +                                   \
     (((sum)[2] + (sum)[6]) + ((sum)[3] + (sum)[7])))

// to (n) = from (n) for a small n, where calling memcpy would take longer than copying.
static inline void lab_copy_few(float *restrict to, const float *restrict from, size_t n)
{
    size_t i = 0;
    for (; i + LAB_LANES <= n; i += LAB_LANES) {
        // a fixed size compiles to two moves
        memcpy(to + i, from + i, LAB_LANES * sizeof *to);
    }
    for (; i < n; i++) {
        to[i] = from[i];
    }
}

// a[0] + ... + a[n - 1], as eight sums of every eighth number, which are then added in
// pairs.
LAB_INLINE float lab_sum(const float *a, size_t n)
{
    lab_lanes sum = {0}, a_i;
    float rest = 0.0f;
    size_t i = 0;
    for (; i + LAB_LANES <= n; i += LAB_LANES) {
        LAB_LOAD(a_i, a + i);
        sum += a_i;
    }
    for (; i < n; i++) {
        rest += a[i];
    }
    return LAB_ADD_LANES(sum) + rest;
}

// The largest of a[0] ... a[n - 1]; -infinity for n = 0. NaN is ignored.
LAB_INLINE float lab_max(const float *a, size_t n)
{
    float lane[LAB_LANES], largest = -INFINITY;
    for (size_t j = 0; j < LAB_LANES; j++) {
        lane[j] = -INFINITY;
    }
    size_t i = 0;
    for (; i + LAB_LANES <= n; i += LAB_LANES) {
        for (size_t j = 0; j < LAB_LANES; j++) {
            lane[j] = a[i + j] > lane[j] ? a[i + j] : lane[j];
        }
    }
    for (; i < n; i++) {
        largest = a[i] > largest ? a[i] : largest;
    }
    // a tree: four pairs at once, then two, then one
    for (size_t half = LAB_LANES / 2; half > 0; half /= 2) {
        for (size_t j = 0; j < half; j++) {
            lane[j] = lane[j] > lane[j + half] ? lane[j] : lane[j + half];
        }
    }
    return lane[0] > largest ? lane[0] : largest;
}

// The number of rows of S numbers to process at a time, in a function that makes several
// passes over them: enough for long loops, but few enough to stay in the cache.
static inline size_t lab_rows_at_once(size_t S)
{
    const size_t numbers = 2048; // 8 KB
    return S < numbers ? numbers / S : 1;
}

// a[0] b[0] + ... + a[n - 1] b[n - 1], summed in the same way as lab_sum.
LAB_INLINE float lab_dot(const float *a, const float *b, size_t n)
{
    lab_lanes sum = {0}, a_i, b_i;
    float rest = 0.0f;
    size_t i = 0;
    for (; i + LAB_LANES <= n; i += LAB_LANES) {
        LAB_LOAD(a_i, a + i);
        LAB_LOAD(b_i, b + i);
        sum += a_i * b_i;
    }
    for (; i < n; i++) {
        rest += a[i] * b[i];
    }
    return LAB_ADD_LANES(sum) + rest;
}

// y (O) = w (O, I) x (I): a dot product for each row of w, which is read once. Four rows are read at
// the same time, a quarter of w apart, each quarter from its start to its end. A processor
// prefetches such streams; one stream alone does not use the full memory bandwidth.
LAB_INLINE void lab_dots(float *restrict y, const float *restrict w,
                         const float *restrict x, size_t O, size_t I)
{
    const size_t quarter = O / 4, apart = quarter * I;
    for (size_t o = 0; o < quarter; o++) {
        const float *w0 = w + o * I, *w1 = w0 + apart, *w2 = w1 + apart, *w3 = w2 + apart;
        lab_lanes sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0}, x_i, w_i;
        float rest0 = 0.0f, rest1 = 0.0f, rest2 = 0.0f, rest3 = 0.0f;
        size_t i = 0;
        for (; i + LAB_LANES <= I; i += LAB_LANES) {
            LAB_LOAD(x_i, x + i);
            LAB_LOAD(w_i, w0 + i);
            sum0 += w_i * x_i;
            LAB_LOAD(w_i, w1 + i);
            sum1 += w_i * x_i;
            LAB_LOAD(w_i, w2 + i);
            sum2 += w_i * x_i;
            LAB_LOAD(w_i, w3 + i);
            sum3 += w_i * x_i;
        }
        for (; i < I; i++) {
            rest0 += w0[i] * x[i];
            rest1 += w1[i] * x[i];
            rest2 += w2[i] * x[i];
            rest3 += w3[i] * x[i];
        }
        y[o] = LAB_ADD_LANES(sum0) + rest0;
        y[o + quarter] = LAB_ADD_LANES(sum1) + rest1;
        y[o + 2 * quarter] = LAB_ADD_LANES(sum2) + rest2;
        y[o + 3 * quarter] = LAB_ADD_LANES(sum3) + rest3;
    }
    for (size_t o = 4 * quarter; o < O; o++) {
        y[o] = lab_dot(w + o * I, x, I);
    }
}

// The product of two small matrices, out (M, N) = scale a (M, K) b (K, N), for sizes where
// calling BLAS would take longer than the product itself. Element (m, k) of a is a[m *
// a_row + k * a_column]. For a row-major (M, K) matrix, a_row is K and a_column 1; for the
// transpose of a (K, M) matrix they are 1 and M. The matrices must not overlap.
LAB_INLINE void lab_small_product(float *restrict out, float scale,
                                  const float *restrict a, size_t a_row, size_t a_column,
                                  const float *restrict b, size_t M, size_t N, size_t K)
{
    const size_t M4 = M / 4 * 4, N8 = N / LAB_LANES * LAB_LANES;
    // four rows of out at a time, so that b is read once for all four
    for (size_t m = 0; m < M4; m += 4) {
        for (size_t n = 0; n < N8; n += LAB_LANES) {
            lab_lanes row0 = {0}, row1 = {0}, row2 = {0}, row3 = {0}, b_k;
            for (size_t k = 0; k < K; k++) {
                const float *a_k = a + m * a_row + k * a_column;
                LAB_LOAD(b_k, b + k * N + n);
                row0 += a_k[0] * b_k;
                row1 += a_k[a_row] * b_k;
                row2 += a_k[2 * a_row] * b_k;
                row3 += a_k[3 * a_row] * b_k;
            }
            row0 *= scale, row1 *= scale, row2 *= scale, row3 *= scale;
            LAB_STORE(out + (m + 0) * N + n, row0);
            LAB_STORE(out + (m + 1) * N + n, row1);
            LAB_STORE(out + (m + 2) * N + n, row2);
            LAB_STORE(out + (m + 3) * N + n, row3);
        }
    }
    // the remaining columns and rows
    for (size_t m = 0; m < M; m++) {
        for (size_t n = m < M4 ? N8 : 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[m * a_row + k * a_column] * b[k * N + n];
            }
            out[m * N + n] = scale * sum;
        }
    }
}

#endif
