// test_bank.c - which numbers of long outputs a case bank keeps, and that equal runs are kept
// once. Two other checks compare a bank's verdicts with the whole workbook's: bank/check.c
// whenever one is written, and test_release.sh on the unpacked student archive.

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "bank/bank.h"
#include "bank/blocks.h"
#include "bank/pool.h"
#include "cases/case.h"

enum { COUNT = 40 }; // two blocks and a half

static const struct tensor_spec spec = {"out", "N", OUTPUT, F32, 1e-5f, 1e-5f};

static struct tensor tensor_of(float tolerance)
{
    return (struct tensor){
        .spec = &spec, .count = COUNT, .atol = tolerance, .rtol = tolerance};
}

static void fill(float values[COUNT])
{
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = 0.5f + (float)(i * 7 % 11);
    }
}

static bool alike(const struct tensor *tensor, const float *expected, const float *got,
                  size_t block)
{
    const struct block_sum is = bank_sum(tensor, got, block);
    return fabs(is.sum - bank_sum(tensor, expected, block).sum) <= is.tolerance;
}

Test(blocks, rounding_is_forgiven)
{
    const struct tensor tensor = tensor_of(1e-5f);
    float expected[COUNT], got[COUNT];
    fill(expected);
    for (size_t i = 0; i < COUNT; i++) {
        got[i] = expected[i] * (1 + 2e-6f);
    }
    for (size_t block = 0; block < bank_blocks(&tensor); block++) {
        cr_expect(alike(&tensor, expected, got, block), "block %zu", block);
    }
}

Test(blocks, a_wrong_number_is_seen_in_its_block_only)
{
    const struct tensor tensor = tensor_of(1e-5f);
    float expected[COUNT], got[COUNT];
    const float wrong[] = {0, INFINITY, -INFINITY, NAN, 1.25f};
    cr_assert_eq(bank_blocks(&tensor), 3);
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        fill(expected);
        fill(got);
        got[COUNT - 1] = wrong[w];
        cr_expect(alike(&tensor, expected, got, 0));
        cr_expect(alike(&tensor, expected, got, 1));
        cr_expect_not(alike(&tensor, expected, got, 2), "%g", (double)wrong[w]);
    }
}

Test(blocks, numbers_that_change_places_are_seen)
{
    for (int exact = 0; exact < 2; exact++) {
        const struct tensor tensor = tensor_of(exact ? 0 : 1e-5f);
        float expected[COUNT], got[COUNT];
        fill(expected);
        fill(got);
        got[3] = expected[4];
        got[4] = expected[3];
        cr_expect_not(alike(&tensor, expected, got, 0));
    }
}

Test(blocks, without_a_tolerance_every_bit_counts_but_the_sign_of_zero)
{
    const struct tensor tensor = tensor_of(0);
    float expected[COUNT], got[COUNT];
    fill(expected);
    expected[2] = 0.0f;
    memcpy(got, expected, sizeof got);
    got[2] = -0.0f;
    cr_expect(alike(&tensor, expected, got, 0));
    expected[7] = got[7] = 1e30f; // a sum with this number would round the others away
    cr_expect(alike(&tensor, expected, got, 0));
    got[8] = nextafterf(got[8], INFINITY);
    cr_expect_not(alike(&tensor, expected, got, 0));
}

Test(blocks, an_infinity_does_not_hide_a_wrong_number)
{
    const struct tensor tensor = tensor_of(1e-5f);
    float expected[COUNT], got[COUNT];
    fill(expected);
    expected[1] = expected[2] = -INFINITY;
    memcpy(got, expected, sizeof got);
    cr_expect(alike(&tensor, expected, got, 0));
    got[5] += 0.5f;
    cr_expect_not(alike(&tensor, expected, got, 0));
}

Test(blocks, a_long_output_has_long_blocks)
{
    struct tensor tensor = tensor_of(1e-5f);
    static float values[300000], got[300000];
    tensor.count = 300000;
    cr_assert_leq(bank_blocks(&tensor), MOST_BLOCKS);
    cr_assert_gt(bank_blocks(&tensor), MOST_BLOCKS / 2);
    for (size_t i = 0; i < tensor.count; i++) {
        values[i] = got[i] = 0.5f + (float)(i * 7 % 11);
    }
    const size_t last = bank_blocks(&tensor) - 1;
    cr_expect(alike(&tensor, values, got, last));
    got[tensor.count - 1] = values[tensor.count - 2];
    cr_expect_not(alike(&tensor, values, got, last));
}

Test(kept, places_are_different_and_inside)
{
    static const size_t counts[] = {1, WHOLE - 1, WHOLE, WHOLE + 1, 65536, 68251};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        size_t before = 0;
        for (size_t i = 0; i < bank_kept(counts[c]); i++) {
            size_t at = bank_kept_place(counts[c], i);
            cr_expect_lt(at, counts[c]);
            cr_expect(i == 0 || at > before);
            before = at;
        }
    }
}

// A matrix of SAMPLE x 512. Each stretch is as long as a row, but every column must have a chance
// to be chosen.
Test(kept, places_do_not_stand_in_one_column)
{
    bool seen[512] = {false};
    size_t columns = 0;
    for (size_t i = 0; i < SAMPLE; i++) {
        size_t column = bank_kept_place((size_t)SAMPLE * 512, i) % 512;
        columns += !seen[column];
        seen[column] = true;
    }
    cr_expect_gt(columns, 40, "only %zu columns", columns);
}

// A sum of logits near -FLT_MAX (6.3) was kept as an infinity.
Test(kept, the_largest_float_stays_finite)
{
    const double largest = (double)FLT_MAX;
    cr_expect(isfinite((float)bank_brief(largest, largest / 1e5)));
    cr_expect(isfinite((float)bank_brief(-largest, largest / 1e5)));
    cr_expect(fabs(bank_brief(largest, largest / 1e5) - largest) < largest / 1e6);
}

Test(pool, equal_runs_are_kept_once)
{
    struct pool pool = {.element_size = sizeof(float)};
    const float one[] = {1, 2, 3}, other[] = {1, 2, 4};
    const int64_t at = pool_add(&pool, one, 3);
    cr_expect_neq(pool_add(&pool, other, 3), at);
    cr_expect_eq(pool_add(&pool, one, 3), at);
    cr_expect_neq(pool_add(&pool, one, 2), pool_add(&pool, other, 3));
    for (int i = 0; i < 5000; i++) { // the table of runs grows
        const float numbers[] = {(float)i, 0.25f};
        pool_add(&pool, numbers, 2);
    }
    cr_expect_eq(pool_add(&pool, one, 3), at);
    cr_expect_eq(memcmp(pool.numbers + (size_t)at * sizeof(float), one, sizeof one), 0);
    pool_free(&pool);
}
