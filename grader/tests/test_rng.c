// test_rng.c - holds labs/common/rng.[ch] against PyTorch's numbers.
//
// datasets/goldens/rng.safetensors holds the draws, made by datasets/rng.py; the calls here
// follow it line by line, because the order of the draws matters.

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "common/tensor_file.h"

enum { NUMBERS = 2012 }; // of all sizes together: 1 + 2 + ... + 40 + 63 + 64 + 65 + 1000

// The error that rng.h allows for randn with n >= 16.
static const double randn_bound = 5e-7;

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    lab_status status =
        lab_tensor_file_open(&goldens, "datasets/goldens/rng.safetensors");
    cr_assert_eq(status, LAB_OK, "%s", goldens.error);
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

TestSuite(rng, .init = open_goldens, .fini = close_goldens);

// A golden of n floats, whatever its shape.
static const float *golden(const char *name, size_t n)
{
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, name);
    cr_assert_not_null(tensor, "no golden %s", name);
    cr_assert_eq(tensor->count, n, "%s has %zu numbers", name, tensor->count);
    cr_assert_eq(tensor->dtype, LAB_F32);
    return tensor->data;
}

// bound 0: the same bits
static void expect_drawn(const float *got, const char *name, size_t n, double bound)
{
    const float *expected = golden(name, n);
    for (size_t i = 0; i < n; i++) {
        double gap = fabs((double)got[i] - (double)expected[i]);
        bool good = bound > 0 ? gap <= bound : memcmp(&got[i], &expected[i], 4) == 0;
        cr_assert(good, "%s[%zu] is %.9g, PyTorch draws %.9g", name, i, (double)got[i],
                  (double)expected[i]);
    }
}

static void expect_integers(const int64_t *got, const char *name, size_t n)
{
    const int64_t *expected = lab_tensor_i64(&goldens, name, 1, &n);
    cr_assert_not_null(expected, "%s", goldens.error);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(got[i], expected[i], "%s[%zu] is %lld, PyTorch draws %lld", name, i,
                     (long long)got[i], (long long)expected[i]);
    }
}

// The sizes of the goldens, from the file itself.
static const int64_t *all_sizes(void)
{
    const int64_t *sizes = lab_tensor_i64(&goldens, "sizes", 1, (size_t[]){44});
    cr_assert_not_null(sizes, "%s", goldens.error);
    return sizes;
}

Test(rng, first_words_are_the_mersenne_twisters)
{
    // the published check values of MT19937 for the seed 5489: the 1st and the 10000th word
    struct lab_rng rng;
    lab_rng_seed(&rng, 5489);
    cr_assert_eq(lab_rng_next32(&rng), 3499211612u);
    for (int i = 2; i < 10000; i++) {
        (void)lab_rng_next32(&rng);
    }
    cr_assert_eq(lab_rng_next32(&rng), 4123659995u);
}

Test(rng, only_the_lower_32_bits_of_a_seed_count)
{
    const int64_t *seeds = lab_tensor_i64(&goldens, "seeds", 1, (size_t[]){8});
    cr_assert_not_null(seeds, "%s", goldens.error);
    float out[8][3];
    for (size_t i = 0; i < 8; i++) {
        struct lab_rng rng;
        lab_rng_seed(&rng, (uint64_t)seeds[i]);
        lab_rng_rand(&rng, out[i], 3);
    }
    expect_drawn(out[0], "seeds.rand", 8 * 3, 0);
}

Test(rng, rand_is_pytorchs_bit_for_bit)
{
    static float out[NUMBERS];
    const int64_t *sizes = all_sizes();
    struct lab_rng rng;
    lab_rng_seed(&rng, 1234);
    size_t used = 0;
    for (size_t i = 0; i < 44; i++) {
        lab_rng_rand(&rng, out + used, (size_t)sizes[i]);
        used += (size_t)sizes[i];
    }
    expect_drawn(out, "rand.continued", used, 0);
}

// Compares draws of all sizes: exact below 16 elements, within randn_bound from 16 on.
static void expect_sizes(const float *out, const char *name)
{
    const int64_t *sizes = all_sizes();
    const float *expected = golden(name, NUMBERS);
    size_t used = 0;
    for (size_t i = 0; i < 44; i++) {
        for (size_t j = used; j < used + (size_t)sizes[i]; j++) {
            double gap = fabs((double)out[j] - (double)expected[j]);
            cr_assert(gap <= (sizes[i] < 16 ? 0 : randn_bound),
                      "%s, size %lld: drew %.9g, PyTorch %.9g", name, (long long)sizes[i],
                      (double)out[j], (double)expected[j]);
        }
        used += (size_t)sizes[i];
    }
    cr_assert_eq(used, NUMBERS);
}

Test(rng, randn_of_every_size_is_pytorchs)
{
    static float out[NUMBERS];
    const int64_t *sizes = all_sizes();
    size_t used = 0;
    for (size_t i = 0; i < 44; i++) {
        struct lab_rng rng;
        lab_rng_seed(&rng, 1000 + (uint64_t)sizes[i]);
        lab_rng_randn(&rng, out + used, (size_t)sizes[i]);
        used += (size_t)sizes[i];
    }
    expect_sizes(out, "randn.fresh");
}

Test(rng, half_a_pair_waits_for_the_next_small_randn)
{
    static float out[NUMBERS];
    const int64_t *sizes = all_sizes();
    struct lab_rng rng;
    lab_rng_seed(&rng, 1234);
    size_t used = 0;
    for (size_t i = 0; i < 44; i++) {
        lab_rng_randn(&rng, out + used, (size_t)sizes[i]);
        used += (size_t)sizes[i];
    }
    expect_sizes(out, "randn.continued");
}

Test(rng, five_of_six_large_normals_are_pytorchs_bit_for_bit)
{
    // the error bound in rng.h; the last 1000 numbers of the golden come from one call
    static float out[1000];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1000 + 1000);
    lab_rng_randn(&rng, out, 1000);
    const float *expected = golden("randn.fresh", NUMBERS) + NUMBERS - 1000;
    int equal = 0;
    for (size_t i = 0; i < 1000; i++) {
        float spacing = nextafterf(fabsf(expected[i]), INFINITY) - fabsf(expected[i]);
        cr_assert(fabsf(out[i] - expected[i]) <= 5 * spacing, "%.9g and %.9g",
                  (double)out[i], (double)expected[i]);
        equal += out[i] == expected[i];
    }
    cr_assert(equal >= 800, "%d of 1000 are equal", equal);
}

Test(rng, any_mixture_of_draws_is_pytorchs)
{
    float x[40];
    int64_t n[8];
    struct lab_rng rng;
    lab_rng_seed(&rng, 7);

    lab_rng_randn(&rng, x, 3);
    expect_drawn(x, "mixed.00.randn3", 3, 0);
    lab_rng_rand(&rng, x, 5);
    expect_drawn(x, "mixed.01.rand5", 5, 0);
    lab_rng_randn(&rng, x, 1);
    expect_drawn(x, "mixed.02.randn1", 1, 0);
    lab_rng_randn(&rng, x, 1);
    expect_drawn(x, "mixed.03.randn1", 1, 0);
    lab_rng_randn(&rng, x, 20);
    expect_drawn(x, "mixed.04.randn20", 20, randn_bound);
    lab_rng_randn(&rng, x, 2);
    expect_drawn(x, "mixed.05.randn2", 2, 0);
    cr_assert_eq(lab_rng_randint(&rng, n, 0, 10, 7), LAB_OK);
    expect_integers(n, "mixed.06.randint_0_10", 7);
    lab_rng_randn(&rng, x, 1);
    expect_drawn(x, "mixed.07.randn1", 1, 0);
    cr_assert_eq(lab_rng_normal(&rng, x, 2.5, 0.1, 9), LAB_OK);
    expect_drawn(x, "mixed.08.normal9", 9, 0);
    cr_assert_eq(lab_rng_uniform(&rng, x, -0.3, 0.7, 6), LAB_OK);
    expect_drawn(x, "mixed.09.uniform6", 6, 0);
    int64_t far = (int64_t)1 << 40;
    cr_assert_eq(lab_rng_randint(&rng, n, -far, far, 5), LAB_OK);
    expect_integers(n, "mixed.10.randint_far", 5);
    cr_assert_eq(lab_rng_normal(&rng, x, -1.5, 3.0, 33), LAB_OK);
    expect_drawn(x, "mixed.11.normal33", 33, 4 * randn_bound);
    lab_rng_randn(&rng, x, 15);
    expect_drawn(x, "mixed.12.randn15", 15, 0);
    int64_t edge = (int64_t)1 << 32; // from this range on, a draw takes 64 bits
    cr_assert_eq(lab_rng_randint(&rng, n, -5, edge - 5, 4), LAB_OK);
    expect_integers(n, "mixed.13.randint_edge", 4);
    cr_assert_eq(lab_rng_randint(&rng, n, -5, edge - 6, 4), LAB_OK);
    expect_integers(n, "mixed.14.randint_below", 4);
    cr_assert_eq(lab_rng_randint(&rng, n, INT64_MIN, INT64_MAX, 4), LAB_OK);
    expect_integers(n, "mixed.15.randint_all", 4);
    lab_rng_randn(&rng, x, 16);
    expect_drawn(x, "mixed.16.randn16", 16, randn_bound);
    lab_rng_randn(&rng, x, 5);
    expect_drawn(x, "mixed.17.randn5", 5, 0);
}

Test(rng, layers_start_with_pytorchs_numbers)
{
    static float w[33 * 17];
    float bias[17];
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    cr_assert_eq(lab_rng_linear(&rng, w, bias, 3, 5), LAB_OK);
    expect_drawn(w, "layers.linear_5_3.w", 3 * 5, 0);
    expect_drawn(bias, "layers.linear_5_3.bias", 3, 0);
    cr_assert_eq(lab_rng_linear(&rng, w, NULL, 7, 4), LAB_OK);
    expect_drawn(w, "layers.linear_4_7.w", 7 * 4, 0);
    cr_assert_eq(lab_rng_embedding(&rng, w, 10, 32), LAB_OK);
    expect_drawn(w, "layers.embedding_10_32", 10 * 32, randn_bound);
    cr_assert_eq(lab_rng_embedding(&rng, w, 3, 5), LAB_OK);
    expect_drawn(w, "layers.embedding_3_5", 3 * 5, 0);
    cr_assert_eq(lab_rng_linear(&rng, w, bias, 17, 33), LAB_OK);
    expect_drawn(w, "layers.linear_33_17.w", 17 * 33, 0);
    expect_drawn(bias, "layers.linear_33_17.bias", 17, 0);
}

Test(rng, seeding_again_starts_over)
{
    float first[3];
    float second[3];
    struct lab_rng rng;
    lab_rng_seed(&rng, 7);
    lab_rng_randn(&rng, first, 3); // odd, so half a pair is left
    lab_rng_seed(&rng, 7);
    lab_rng_randn(&rng, second, 3);
    cr_assert_arr_eq(first, second, sizeof first);
}

Test(rng, a_copy_goes_on_with_the_same_numbers)
{
    float first[5];
    float second[5];
    struct lab_rng rng;
    lab_rng_seed(&rng, 3);
    lab_rng_randn(&rng, first, 5);
    struct lab_rng copy = rng;
    lab_rng_randn(&rng, first, 5);
    lab_rng_randn(&copy, second, 5);
    cr_assert_arr_eq(first, second, sizeof first);
}

Test(rng, one_integer_is_randint_of_one)
{
    int64_t expected[7];
    struct lab_rng rng;
    lab_rng_seed(&rng, 11);
    struct lab_rng copy = rng;
    cr_assert_eq(lab_rng_randint(&rng, expected, -3, 4, 7), LAB_OK);
    for (size_t i = 0; i < 7; i++) {
        cr_assert_eq(lab_rng_int(&copy, -3, 4), expected[i]);
        cr_assert(expected[i] >= -3 && expected[i] < 4);
    }
}

Test(rng, bad_arguments_are_refused_and_draw_nothing)
{
    float x[2] = {NAN, NAN};
    int64_t n[2] = {-77, -77};
    struct lab_rng rng;
    lab_rng_seed(&rng, 5);
    struct lab_rng before = rng;
    cr_assert_eq(lab_rng_randint(&rng, n, 3, 3, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_randint(&rng, n, 3, 2, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_uniform(&rng, x, 1, 0, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_uniform(&rng, x, 0, INFINITY, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_uniform(&rng, x, NAN, 1, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_uniform(&rng, x, -3e38, 3e38, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_uniform(&rng, x, 0, 1e300, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_normal(&rng, x, 0, -1, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_normal(&rng, x, NAN, 1, 2), LAB_EVALUE);
    cr_assert_eq(lab_rng_linear(&rng, x, NULL, 0, 2), LAB_ESHAPE);
    cr_assert_eq(lab_rng_linear(&rng, x, NULL, 2, 0), LAB_ESHAPE);
    cr_assert_eq(lab_rng_embedding(&rng, x, 0, 2), LAB_ESHAPE);
    cr_assert(isnan(x[0]) && isnan(x[1]) && n[0] == -77 && n[1] == -77);
    cr_assert_arr_eq(&rng, &before, sizeof rng);
}
