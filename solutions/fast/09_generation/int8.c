// int8.c - weights of one byte, read at the memory's speed.
//
// Read solutions/09_generation/int8.c first: it is the plain form of the same mathematics. With a quarter
// of the bytes, there is a quarter of the time for each weight. This file is faster for five reasons:
//   1. whole numbers          Converting every byte to a float takes longer than reading it. Instead, a
//      (9.8 linear_int8)      row of x becomes integers: x = step (high + low / 2^14), each of
//                             at most 2^13. step is a power of 2, so only bits more than 26 bits
//                             below the largest x are lost. A product of 16-bit numbers is one
//                             instruction for 16 of them, and their sums are exact.
//                             AVX-512 VNNI multiplies bytes without widening them: there, x has
//                             three digits to base 254, which are 24 bits. It computes faster than
//                             memory delivers. So a line 4 KB ahead of each row is requested, in the
//                             page that the processor does not fetch by itself yet. Requesting
//                             every line ahead keeps it from fetching: a fifth slower.
//                             With AVX2 alone, the loop is written out: the compiler's loop also
//                             moves bytes between the halves of a register.
//   2. four streams           As lab_dots (fast/common/vector_math.h), four rows a quarter of the matrix
//      (9.8 linear_int8)      apart.
//   3. BLAS for many rows     With many rows of x, the bytes become floats once for all of them, a
//      (9.8 linear_int8)      piece of the matrix at a time, and BLAS multiplies.
//   4. rows in parallel       With more than one thread, each takes as many rows of the matrix at once as
//                             it can (common/parallel.h): every piece starts four streams, and a stream
//                             starts slowly.
//   5. wide loops             fmaxf and rintf are calls. lab_max's loop, and adding and
//      (9.8 quantize_rows)    subtracting 1.5 2^23, which rounds, are not (LAB_WIDE).
//
// BEGIN MEASURED: build/bench/ladder 09_generation/int8.c (make bench DOCS=1)
// AMD EPYC; gcc 12.2; OpenBLAS core Cooperlake; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// quantize_rows, O=256, I=768
//     plain: fmaxf and rintf                                      597.8 us   1.00
//     5  wide loops (this file)                                    34.1 us  17.53
//
// linear_int8, N=1, I=768, O=768
//     plain                                                       364.5 us   1.00
//        eight sums in float, LAB_WIDE                            116.4 us   3.13
//     1 2  whole numbers, four streams (this file)                  5.9 us  61.89
//
// linear_int8, N=64, I=768, O=768
//     plain                                                     23644.9 us   1.00
//        eight sums in float, LAB_WIDE                           7561.1 us   3.13
//     3  pieces as floats, and BLAS (this file)                   479.6 us  49.30
// END MEASURED
//
// Start reading at linear_int8.

#include "09_generation/generation.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/parallel.h"
#include "fast/common/vector_math.h"

#ifdef LAB_HAS_WIDE
#include <immintrin.h>
#endif

// ---- 9.8  int8 rows -----------------------------------------------------------------------

// x, rounded to the nearest integer, halves to the even one, for |x| up to 2^22.
LAB_INLINE float to_integer(float x)
{
    const float shift = 0x1.8p23f; // from here on, floats are integers
    return (x + shift) - shift;
}

// The largest magnitude; infinity or NaN if one of them is.
LAB_WIDE static float largest_of(const float *x, size_t n)
{
    int32_t largest = 0; // as bits: positive floats have the order of their bits
    for (size_t i = 0; i < n; i++) {
        const int32_t size = (int32_t)(lab_float_bits(x[i]) & 0x7fffffffu);
        largest = size > largest ? size : largest;
    }
    return lab_bits_float((uint32_t)largest);
}

LAB_WIDE static void quantize_row(int8_t *restrict row, const float *restrict w,
                                  float scale, size_t I)
{
    for (size_t i = 0; i < I; i++) {
        row[i] = (int8_t)(int32_t)to_integer(w[i] / scale);
    }
}

lab_status quantize_rows(int8_t *rows, float *scales, const float *w, size_t O, size_t I)
{
    if (O == 0 || I == 0) {
        return LAB_ESHAPE;
    }
    if (!isfinite(largest_of(w, O * I))) {
        return LAB_EVALUE;
    }
    for (size_t o = 0; o < O; o++) {
        scales[o] = largest_of(w + o * I, I) / 127.0f;
        if (scales[o] > 0.0f) {
            quantize_row(rows + o * I, w + o * I, scales[o], I);
        } else {
            memset(rows + o * I, 0, I);
        }
    }
    return LAB_OK;
}

// ---- one row of x -------------------------------------------------------------------------

enum { BYTES = 64, LANES = 16 }; // of a vector of 512 bits

// LARGEST times 127 times TERMS is below 2^31, so that many products can be added in 32 bits.
enum { LARGEST = 1 << 13, TERMS = 2048, PANEL = 2 * TERMS };

enum { AHEAD = 4096 }; // bytes: a line this far ahead of each row is requested

enum { DIGITS = 3, BASE = 254, LARGEST_DIGIT = BASE / 2 };

// x[i] is about step (high[i] + low[i] / 2^14); both are from -LARGEST to LARGEST. Zeros follow, up to
// a multiple of 16. Aligned, so that no load crosses a line of the cache.
struct two_shorts {
    _Alignas(BYTES) int16_t high[PANEL];
    int16_t low[PANEL];
};

// x[i] is about step (digit[0][i] + digit[1][i] / BASE + digit[2][i] / BASE^2); each digit is from
// -LARGEST_DIGIT to LARGEST_DIGIT. sum: of the digits that meet in a lane, times 128.
struct three_bytes {
    _Alignas(BYTES) int8_t digit[DIGITS][PANEL];
    int32_t sum[DIGITS][LANES];
};

// Part of a row of x in whole numbers.
struct whole {
    float step; // 0: x has no such step
    union {
        struct two_shorts shorts;
        struct three_bytes bytes; // where has_byte_products
    };
};

LAB_WIDE static void split(int16_t *restrict high, int16_t *restrict low,
                           const float *restrict x, float in_steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float steps = x[i] * in_steps, near = to_integer(steps);
        high[i] = (int16_t)(int32_t)near;
        low[i] = (int16_t)(int32_t)to_integer((steps - near) * (2.0f * LARGEST));
    }
}

// y (O) += what n <= PANEL columns give; two rows of w are I bytes apart.
LAB_WIDE static void add_dots(float *restrict y, const struct whole *restrict x,
                              const int8_t *restrict w, size_t n, size_t I, size_t O)
{
    const size_t quarter = O / 4, apart = quarter * I;
    const float step = x->step, low_step = step / (2.0f * LARGEST);
    for (size_t o = 0; o < quarter; o++) {
        for (size_t from = 0; from < n; from += TERMS) {
            const size_t terms = n - from < TERMS ? n - from : TERMS;
            const int16_t *high = x->shorts.high + from, *low = x->shorts.low + from;
            const int8_t *w0 = w + o * I + from, *w1 = w0 + apart, *w2 = w1 + apart,
                         *w3 = w2 + apart;
            int32_t high0 = 0, high1 = 0, high2 = 0, high3 = 0;
            int32_t low0 = 0, low1 = 0, low2 = 0, low3 = 0;
            for (size_t i = 0; i < terms; i++) {
                high0 += high[i] * w0[i], low0 += low[i] * w0[i];
                high1 += high[i] * w1[i], low1 += low[i] * w1[i];
                high2 += high[i] * w2[i], low2 += low[i] * w2[i];
                high3 += high[i] * w3[i], low3 += low[i] * w3[i];
            }
            y[o] += step * (float)high0 + low_step * (float)low0;
            y[o + quarter] += step * (float)high1 + low_step * (float)low1;
            y[o + 2 * quarter] += step * (float)high2 + low_step * (float)low2;
            y[o + 3 * quarter] += step * (float)high3 + low_step * (float)low3;
        }
    }
    for (size_t o = 4 * quarter; o < O; o++) {
        for (size_t from = 0; from < n; from += TERMS) {
            const size_t terms = n - from < TERMS ? n - from : TERMS;
            const int8_t *w0 = w + o * I + from;
            int32_t high0 = 0, low0 = 0;
            for (size_t i = 0; i < terms; i++) {
                high0 += x->shorts.high[from + i] * w0[i],
                    low0 += x->shorts.low[from + i] * w0[i];
            }
            y[o] += step * (float)high0 + low_step * (float)low0;
        }
    }
}

// The same with bytes alone, where the processor can multiply them. Its factors are a signed and an
// unsigned byte, so it gets w + 128 instead of w. The sums start with the difference subtracted.
#ifdef LAB_HAS_WIDE
#define WITH_VNNI __attribute__((target("avx512bw,avx512vnni")))

static bool has_byte_products(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
}

LAB_WIDE static void make_digits(int8_t *restrict first, int8_t *restrict second,
                                 int8_t *restrict third, const float *restrict x,
                                 float in_steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float steps = x[i] * in_steps, a = to_integer(steps);
        const float rest = (steps - a) * (float)BASE, b = to_integer(rest);
        first[i] = (int8_t)(int32_t)a;
        second[i] = (int8_t)(int32_t)b;
        third[i] = (int8_t)(int32_t)to_integer((rest - b) * (float)BASE);
    }
}

WITH_VNNI static void split_digits(struct three_bytes *bytes, const float *x,
                                   float in_steps, size_t n)
{
    const __m512i all_128 = _mm512_set1_epi8(-128);
    make_digits(bytes->digit[0], bytes->digit[1], bytes->digit[2], x, in_steps, n);
    for (size_t d = 0; d < DIGITS; d++) {
        __m512i sum = _mm512_setzero_si512();
        memset(bytes->digit[d] + n, 0, PANEL - n < BYTES ? PANEL - n : BYTES);
        for (size_t i = 0; i < n; i += BYTES) {
            sum = _mm512_dpbusd_epi32(sum, all_128,
                                      _mm512_loadu_si512(bytes->digit[d] + i));
        }
        _mm512_storeu_si512(bytes->sum[d], sum);
    }
}

// Adds the products of a vector of each of R rows with the digits from place i on. Lanes that are not in
// mask count as 0.
WITH_VNNI LAB_INLINE void add_bytes(__m512i sums[4][DIGITS], const struct three_bytes *x,
                                    size_t i, const int8_t *w, size_t apart, size_t R,
                                    const __mmask64 *mask)
{
    for (size_t r = 0; r < R; r++) {
        const int8_t *row = w + r * apart;
        const __m512i bytes =
            mask == NULL ? _mm512_loadu_si512(row) : _mm512_maskz_loadu_epi8(*mask, row);
        const __m512i plus_128 = _mm512_xor_si512(bytes, _mm512_set1_epi8(-128));
        for (size_t d = 0; d < DIGITS; d++) {
            sums[r][d] = _mm512_dpbusd_epi32(sums[r][d], plus_128,
                                             _mm512_loadu_si512(x->digit[d] + i));
        }
    }
}

// y[r y_apart] += x times row r of w, r < R <= 4. R is a constant where this is inlined.
WITH_VNNI LAB_INLINE void add_byte_dots(float *y, size_t y_apart, const struct whole *x,
                                        const int8_t *w, size_t apart, size_t n, size_t R)
{
    __m512i sums[4][DIGITS];
    const size_t full = n / BYTES * BYTES;
    for (size_t r = 0; r < R; r++) {
        for (size_t d = 0; d < DIGITS; d++) {
            sums[r][d] = _mm512_sub_epi32(_mm512_setzero_si512(),
                                          _mm512_loadu_si512(x->bytes.sum[d]));
        }
    }
    // Full vectors are loaded without a mask: with one, memory is read at half the speed.
    for (size_t i = 0; i < full; i += BYTES) {
        add_bytes(sums, &x->bytes, i, w + i, apart, R, NULL);
    }
    if (full < n) {
        const __mmask64 rest = ((__mmask64)1 << (n - full)) - 1;
        add_bytes(sums, &x->bytes, full, w + full, apart, R, &rest);
    }
    for (size_t r = 0; r < R; r++) {
        __m512 sum = _mm512_setzero_ps();
        for (size_t d = DIGITS; d-- > 0;) {
            sum = _mm512_mul_ps(sum, _mm512_set1_ps(1.0f / BASE));
            sum = _mm512_add_ps(sum, _mm512_cvtepi32_ps(sums[r][d]));
        }
        y[r * y_apart] += x->step * _mm512_reduce_add_ps(sum);
    }
}

WITH_VNNI static void add_all_byte_dots(float *y, const struct whole *x, const int8_t *w,
                                        size_t n, size_t I, size_t O)
{
    const size_t quarter = O / 4;
    for (size_t o = 0; o < quarter; o++) {
        for (size_t r = 0; r < 4; r++) {
            __builtin_prefetch(w + (o + r * quarter) * I + AHEAD, 0, 2);
        }
        add_byte_dots(y + o, quarter, x, w + o * I, quarter * I, n, 4);
    }
    for (size_t o = 4 * quarter; o < O; o++) {
        add_byte_dots(y + o, 0, x, w + o * I, 0, n, 1);
    }
}

// ---- the same with shorts, written for AVX2 ------------------------------------------------
//
// Two loads of 16 bytes that widen are faster than one load of 32, whose upper half would have to move down.
#define WITH_AVX2 __attribute__((target("avx2,fma")))

enum { SHORTS = 16 }; // of a register

static bool has_short_products(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

struct short_sums {
    __m256i high, low;
};

// Adds the products of 16 bytes of R rows with the numbers from place i on.
WITH_AVX2 LAB_INLINE void add_shorts(struct short_sums sums[4],
                                     const struct two_shorts *x, size_t i,
                                     const int8_t *w, size_t apart, size_t R)
{
    const __m256i high = _mm256_loadu_si256((const __m256i *)(x->high + i));
    const __m256i low = _mm256_loadu_si256((const __m256i *)(x->low + i));
    for (size_t r = 0; r < R; r++) {
        const __m256i wide =
            _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w + r * apart)));
        sums[r].high = _mm256_add_epi32(sums[r].high, _mm256_madd_epi16(wide, high));
        sums[r].low = _mm256_add_epi32(sums[r].low, _mm256_madd_epi16(wide, low));
    }
}

// The sum of all lanes, with high and low in their units. n <= PANEL keeps each lane below 2^31.
WITH_AVX2 LAB_INLINE __m128 sum_of_lanes(const struct short_sums *sums, float step)
{
    const __m256 high = _mm256_cvtepi32_ps(sums->high);
    const __m256 low = _mm256_cvtepi32_ps(sums->low);
    const __m256 both =
        _mm256_fmadd_ps(high, _mm256_set1_ps(step),
                        _mm256_mul_ps(low, _mm256_set1_ps(step / (2.0f * LARGEST))));
    return _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1));
}

// y[r y_apart] += x times row r of w, r < R <= 4. R is a constant where this is inlined.
WITH_AVX2 LAB_INLINE void add_short_dots(float *y, size_t y_apart, const struct whole *x,
                                         const int8_t *w, size_t apart, size_t n,
                                         size_t R)
{
    struct short_sums sums[4];
    const size_t full = n / SHORTS * SHORTS;
    for (size_t r = 0; r < 4; r++) {
        sums[r].high = sums[r].low = _mm256_setzero_si256();
    }
    for (size_t i = 0; i < full; i += SHORTS) {
        add_shorts(sums, &x->shorts, i, w + i, apart, R);
    }
    if (full < n) { // x has zeros from n on
        int8_t rest[4 * SHORTS] = {0};
        for (size_t r = 0; r < R; r++) {
            memcpy(rest + r * SHORTS, w + r * apart + full, n - full);
        }
        add_shorts(sums, &x->shorts, full, rest, SHORTS, R);
    }
    __m128 sum[4];
    for (size_t r = 0; r < 4; r++) {
        sum[r] = sum_of_lanes(&sums[r], x->step);
    }
    const __m128 all =
        _mm_hadd_ps(_mm_hadd_ps(sum[0], sum[1]), _mm_hadd_ps(sum[2], sum[3]));
    for (size_t r = 0; r < R; r++) {
        y[r * y_apart] += all[r];
    }
}

WITH_AVX2 static void add_all_short_dots(float *y, const struct whole *x, const int8_t *w,
                                         size_t n, size_t I, size_t O)
{
    const size_t quarter = O / 4;
    for (size_t o = 0; o < quarter; o++) {
        add_short_dots(y + o, quarter, x, w + o * I, quarter * I, n, 4);
    }
    for (size_t o = 4 * quarter; o < O; o++) {
        add_short_dots(y + o, 0, x, w + o * I, 0, n, 1);
    }
}
#else
#define split_digits(...)
#define add_all_byte_dots(...)
#define add_all_short_dots(...)

static bool has_byte_products(void)
{
    return false;
}

static bool has_short_products(void)
{
    return false;
}
#endif

// The same in the plain way, for an x without such a step: NaN, infinite, or close to 0.
static void add_plain_dots(float *y, const float *x, const int8_t *w, size_t n, size_t I,
                           size_t O)
{
    for (size_t o = 0; o < O; o++) {
        for (size_t i = 0; i < n; i++) {
            y[o] += x[i] * (float)w[o * I + i];
        }
    }
}

// ---- some rows of x -----------------------------------------------------------------------

enum { BLOCK = 128, MOST = 1024, MANY = 5 };

struct product {
    float *y;
    const float *x;
    const int8_t *rows;
    const float *scales;
    size_t N, I, O;
    size_t from, n;               // columns from ... from + n - 1
    struct whole whole[MANY - 1]; // of N rows of x; step 0: that row has none
};

// Splits the columns of every row of x.
static void split_rows(struct product *p)
{
    for (size_t row = 0; row < p->N; row++) {
        struct whole *whole = &p->whole[row];
        const float *x = p->x + row * p->I + p->from;
        const float largest = largest_of(x, p->n);
        whole->step = 0.0f;
        if (1e-25f < largest && largest < 1e35f) {
            int exponent; // largest is below 2^exponent
            frexpf(largest, &exponent);
            if (has_byte_products()) {
                whole->step = ldexpf(1.0f, exponent) / LARGEST_DIGIT;
                split_digits(&whole->bytes, x, LARGEST_DIGIT / ldexpf(1.0f, exponent),
                             p->n);
            } else {
                whole->step = ldexpf(1.0f / LARGEST, exponent);
                split(whole->shorts.high, whole->shorts.low, x, 1.0f / whole->step, p->n);
                memset(whole->shorts.high + p->n, 0,
                       (PANEL - p->n) % LANES * sizeof(int16_t));
                memset(whole->shorts.low + p->n, 0,
                       (PANEL - p->n) % LANES * sizeof(int16_t));
            }
        }
    }
}

// Adds what the columns give to y[o] ... y[o + count - 1] of a row of x. The scales come last.
static void add_columns(const struct product *p, size_t row, size_t o, size_t count)
{
    float *y = p->y + row * p->O + o;
    const int8_t *w = p->rows + o * p->I + p->from;
    if (p->from == 0) {
        memset(y, 0, count * sizeof *y);
    }
    if (p->whole[row].step > 0.0f && has_byte_products()) {
        add_all_byte_dots(y, &p->whole[row], w, p->n, p->I, count);
    } else if (p->whole[row].step > 0.0f && has_short_products()) {
        add_all_short_dots(y, &p->whole[row], w, p->n, p->I, count);
    } else if (p->whole[row].step > 0.0f) {
        add_dots(y, &p->whole[row], w, p->n, p->I, count);
    } else {
        add_plain_dots(y, p->x + row * p->I + p->from, w, p->n, p->I, count);
    }
    for (size_t i = 0; p->from + p->n == p->I && i < count; i++) {
        y[i] *= p->scales[o + i];
    }
}

// A thread takes its share of the rows at once, but at most MOST: if another one is late, the rest is
// shared out again.
static size_t rows_at_once(size_t O)
{
    const size_t share = (O / lab_threads() + 3) / 4 * 4;
    return share < BLOCK ? BLOCK : share > MOST ? MOST : share;
}

// Blocks first ... first + count - 1 of rows_at_once rows of the matrix.
static void some_blocks(void *context, size_t first, size_t count)
{
    const struct product *p = context;
    const size_t rows = rows_at_once(p->O);
    const size_t from = first * rows, end = (first + count) * rows;
    const size_t to = end < p->O ? end : p->O;
    const size_t step =
        p->N == 1 ? to - from : BLOCK; // the next row of x finds it in the cache
    for (size_t o = from; o < to; o += step) {
        for (size_t row = 0; row < p->N; row++) {
            add_columns(p, row, o, step < to - o ? step : to - o);
        }
    }
}

static void product_by_dots(struct product *p)
{
    for (p->from = 0; p->from < p->I; p->from += p->n) {
        p->n = p->I - p->from < PANEL ? p->I - p->from : PANEL;
        split_rows(p);
        const size_t rows = rows_at_once(p->O);
        lab_parallel(some_blocks, p, (p->O + rows - 1) / rows);
    }
}

// ---- many rows of x -----------------------------------------------------------------------

LAB_WIDE static void to_floats(float *restrict to, const int8_t *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)from[i];
    }
}

// y (N, O) = x w^T, a piece of w at a time: as floats, it fits in the cache.
static void product_by_pieces(const struct product *p)
{
    enum { TALL = 64, WIDE = 256 };
    float piece[TALL * WIDE];
    for (size_t o = 0; o < p->O; o += TALL) {
        const size_t tall = p->O - o < TALL ? p->O - o : TALL;
        for (size_t i = 0; i < p->I; i += WIDE) {
            const size_t wide = p->I - i < WIDE ? p->I - i : WIDE;
            for (size_t row = 0; row < tall; row++) {
                to_floats(piece + row * wide, p->rows + (o + row) * p->I + i, wide);
            }
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)p->N, (int)tall,
                        (int)wide, 1.0f, p->x + i, (int)p->I, piece, (int)wide,
                        i == 0 ? 0.0f : 1.0f, p->y + o, (int)p->O);
        }
    }
    for (size_t n = 0; n < p->N; n++) {
        for (size_t o = 0; o < p->O; o++) {
            p->y[n * p->O + o] *= p->scales[o];
        }
    }
}

lab_status linear_int8(float *y, const float *x, const int8_t *rows, const float *scales,
                       size_t N, size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0 || N > INT_MAX || I > INT_MAX || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    struct product product;
    product.y = y;
    product.x = x;
    product.rows = rows;
    product.scales = scales;
    product.N = N;
    product.I = I;
    product.O = O;
    if (N < MANY) {
        product_by_dots(&product);
    } else {
        product_by_pieces(&product);
    }
    return LAB_OK;
}
