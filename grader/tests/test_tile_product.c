// test_tile_product.c - solutions/fast/common/tile_product.h, attention_tile.h and product_nt.h, against plain loops.
//
// Sizes on both sides of every register's width. Everything around an output stays as it was, and what
// a product must not read is NaN.

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "fast/common/attention_tile.h"
#include "common/expect.h"
#include "common/parallel.h"
#include "fast/common/product_nt.h"
#include "common/rng.h"
#include "fast/common/tile_product.h"

enum { MOST = 70, WIDE = MOST + 3 };

// ---- the product --------------------------------------------------------------------------

static float plain_element(struct lab_matrix a, const float *b, size_t m, size_t n,
                           size_t K)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        sum += (double)a.at[m * a.row + k * a.column] * b[k * WIDE + n];
    }
    return (float)sum;
}

static void check_product(size_t M, size_t N, size_t K, bool transposed, bool add)
{
    static float a[MOST * WIDE], b[MOST * WIDE], out[MOST * WIDE];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    lab_rng_randn(&rng, a, MOST * WIDE);
    lab_rng_randn(&rng, b, MOST * WIDE);
    for (size_t i = 0; i < MOST * WIDE; i++) {
        out[i] = add ? 3.0f : NAN;
    }
    const struct lab_matrix left = {a, transposed ? 1 : WIDE, transposed ? WIDE : 1};
    lab_tile_product(out, WIDE, left, b, WIDE, M, N, K, add);
    for (size_t m = 0; m < MOST; m++) {
        for (size_t n = 0; n < WIDE; n++) {
            const float got = out[m * WIDE + n];
            if (m < M && n < N) {
                const float expected =
                    plain_element(left, b, m, n, K) + (add ? 3.0f : 0.0f);
                cr_assert(is_close(got, expected, 1e-5f, 1e-5f),
                          "%zu %zu %zu: out[%zu][%zu] is %g and should be %g", M, N, K, m,
                          n, (double)got, (double)expected);
            } else {
                cr_assert(add ? got == 3.0f : isnan(got),
                          "%zu %zu %zu: out[%zu][%zu] changed", M, N, K, m, n);
            }
        }
    }
}

Test(tile_product, is_the_product_for_sizes_around_those_of_registers)
{
    static const size_t rows[] = {1, 4, 6, 7, 11, 16, 64, MOST};
    static const size_t columns[] = {1, 3, 4, 8, 15, 16, 20, 31, 32, 48, 64, 67, MOST};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++) {
            check_product(rows[i], columns[j], 1 + (i + j) % 5, false, j % 2 == 0);
            check_product(rows[i], columns[j], 64, true, j % 2 == 1);
        }
    }
}

Test(tile_product, of_nothing_adds_nothing)
{
    check_product(7, 20, 0, false, true);
    check_product(7, 20, 0, false, false);
    check_product(0, 20, 3, false, true);
    check_product(7, 0, 3, false, true);
}

// ---- tiles of attention -------------------------------------------------------------------

enum { HEAD = 150 }; // more than LAB_CHANNELS

static bool sees(const struct lab_tile *tile, size_t r, size_t c)
{
    return (ptrdiff_t)c <= (ptrdiff_t)r + tile->diagonal;
}

static struct {
    float q[LAB_QUERIES * HEAD], k[LAB_KEYS * HEAD]; // also out and dv
    float scores[LAB_KEYS * LAB_QUERIES];
    struct lab_transposed transposed;
} z;

static void check_scores(const struct lab_tile *tile, size_t hs)
{
    lab_transpose(&z.transposed, z.q, 0.5f, tile->queries, hs);
    lab_tile_scores(z.scores, tile, z.k, &z.transposed);
    for (size_t c = 0; c < tile->keys; c++) {
        for (size_t r = 0; r < tile->queries; r++) {
            double sum = 0;
            for (size_t i = 0; i < hs; i++) {
                sum += 0.5 * (double)z.q[r * hs + i] * z.k[c * hs + i];
            }
            cr_assert(!sees(tile, r, c) || is_close(z.scores[c * LAB_QUERIES + r],
                                                    (float)sum, 1e-5f, 1e-5f),
                      "score of query %zu and key %zu, hs %zu", r, c, hs);
        }
    }
}

// The weights of pairs that do not see each other are NaN, and none of it may arrive.
static void check_sums(const struct lab_tile *tile, size_t hs)
{
    static float out[LAB_QUERIES * HEAD], dv[LAB_KEYS * HEAD];
    for (size_t i = 0; i < LAB_QUERIES * HEAD; i++) {
        out[i] = dv[i] = 1.0f;
    }
    for (size_t c = 0; c < LAB_KEYS; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            z.scores[c * LAB_QUERIES + r] =
                sees(tile, r, c) ? 1.0f / (float)(1 + r + 2 * c) : NAN;
        }
    }
    lab_tile_to_queries(out, tile, z.scores, z.k, hs);
    lab_tile_to_keys(dv, tile, z.scores, z.q, hs);
    for (size_t i = 0; i < hs; i++) {
        for (size_t r = 0; r < tile->queries; r++) {
            double sum = 1;
            for (size_t c = 0; c < tile->keys && sees(tile, r, c); c++) {
                sum += (double)z.scores[c * LAB_QUERIES + r] * z.k[c * hs + i];
            }
            cr_assert(is_close(out[r * hs + i], (float)sum, 1e-5f, 1e-5f), "query %zu",
                      r);
        }
        for (size_t c = 0; c < tile->keys; c++) {
            double sum = 1;
            for (size_t r = 0; r < tile->queries; r++) {
                sum += sees(tile, r, c)
                           ? (double)z.scores[c * LAB_QUERIES + r] * z.q[r * hs + i]
                           : 0;
            }
            cr_assert(is_close(dv[c * hs + i], (float)sum, 1e-5f, 1e-5f), "key %zu", c);
        }
    }
}

Test(attention_tile, products_leave_out_what_is_not_seen)
{
    static const struct lab_tile tiles[] = {
        {64, 64, 63},  {64, 64, 0},   {64, 64, -5}, {64, 64, 17},
        {50, 61, 10},  {7, 64, 40},   {64, 5, 2},   {1, 1, 0},
        {64, 64, -63}, {64, 64, -64}, {13, 64, 63}, {33, 20, -30},
    };
    static const size_t widths[] = {1, 8, 16, 40, 64, HEAD};
    struct lab_rng rng;
    lab_rng_seed(&rng, 2);
    lab_rng_randn(&rng, z.q, sizeof z.q / sizeof *z.q);
    lab_rng_randn(&rng, z.k, sizeof z.k / sizeof *z.k);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        for (size_t j = 0; j < sizeof widths / sizeof *widths; j++) {
            check_scores(&tiles[i], widths[j]);
            check_sums(&tiles[i], widths[j]);
        }
    }
}

// ---- the product with large weights -------------------------------------------------------

static void check_product_nt(size_t T, size_t I, size_t O)
{
    float *x = malloc(T * I * sizeof *x), *w = malloc(O * I * sizeof *w);
    float *y = malloc((T * O + 1) * sizeof *y); // a guard behind it
    cr_assert(x != NULL && w != NULL && y != NULL);
    struct lab_rng rng;
    lab_rng_seed(&rng, T + I + O);
    lab_rng_randn(&rng, x, T * I);
    lab_rng_randn(&rng, w, O * I);
    for (size_t i = 0; i <= T * O; i++) {
        y[i] = NAN;
    }
    lab_product_nt(y, x, w, T, I, O);
    for (size_t i = 0; i < T * O; i++) {
        double sum = 0;
        for (size_t k = 0; k < I; k++) {
            sum += (double)x[i / O * I + k] * w[i % O * I + k];
        }
        cr_assert(is_close(y[i], (float)sum, 1e-4f, 1e-5f),
                  "%zu %zu %zu: y[%zu][%zu] is %g and should be %g", T, I, O, i / O,
                  i % O, (double)y[i], sum);
    }
    cr_assert(isnan(y[T * O]), "%zu %zu %zu: wrote behind y", T, I, O);
    free(x);
    free(w);
    free(y);
}

// On both sides of a panel of 64 tokens, of 256 and 768 columns, and of strips of 96 rows; where a
// size is no multiple of 4, too. Two threads divide the strips.
Test(product_nt, is_the_product_on_both_sides_of_each_block)
{
    static const size_t tokens[] = {1, 3, 32, 63, 64, 65, 130};
    static const size_t columns[] = {1, 62, 256, 257, 767, 768, 771};
    static const size_t rows[] = {1, 95, 96, 98, 193};
    for (size_t i = 0; i < 7 * 7 * 5; i++) {
        lab_threads_set(1 + i % 2);
        check_product_nt(tokens[i % 7], columns[i / 7 % 7], rows[i / 49]);
    }
}
