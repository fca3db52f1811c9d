// heads.c - see heads.h.

#include "exercises/10/heads.h"
#include "exercises/10/far_down.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rng.h"

// ---- inputs -------------------------------------------------------------------------------

// Queries of ones, and scores that rise or fall by 8 from tile to tile, plus a little.
static void fill_ranked(struct test_case *test, bool rising)
{
    const size_t S = case_dim(test, "S"), hs = case_dim(test, "hs");
    set_all(test, "q", 1.0f);
    scale_input(test, "k", 0.25f);
    float *k = case_f32(test, "k");
    const float step = 8.0f / (float)case_dim(test, "Bc");
    for (size_t n = 0; n < case_count(test, "k") / hs; n++) {
        const size_t rank = rising ? n % S : S - 1 - n % S;
        k[n * hs] += (float)rank * step * sqrtf((float)hs);
    }
}

void fill_rising(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_ranked(test, true);
}

void fill_falling(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_ranked(test, false);
}

void fill_large_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "q", 4.0f);
}

void fill_quiet(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "q", 0.1f);
}

void fill_two_sizes(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "q", 0.0f);
    columns_of_two_sizes(test, "v", case_dim(test, "hs"));
}

void fill_heads_alike(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "q", 0.5f);
    set_all(test, "k", 0.25f);
    set_channel(test, "k", 2, 1, -0.5f);
    set_all(test, "v", 1.0f);
    set_channel(test, "v", 2, 1, -2.0f);
}

void fill_coarse(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "q");
    case_coarse(test, "k");
    case_coarse(test, "v");
}

// With hs = 16 the scale is 1/4.
enum { WIDTH = 16, KINDS = 4 };

static void select_channels(struct test_case *test, size_t kinds)
{
    const size_t T = case_dim(test, "T");
    float *q = case_f32(test, "q");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t n = 0; n < case_count(test, "q") / WIDTH; n++) {
        const size_t kind = n % T % kinds;
        q[n * WIDTH + kind % KINDS] = kind == KINDS ? -4.0f : 4.0f;
    }
}

void fill_exact(struct test_case *test, struct lab_rng *rng)
{
    const size_t S = case_dim(test, "S"), ahead[KINDS] = {S, 0, S - 1, S / 2};
    float *k = case_f32(test, "k");
    select_channels(test, KINDS + 1);
    for (size_t n = 0; n < case_count(test, "k") / WIDTH; n++) {
        k[n * WIDTH] = 1e4f + 64.0f * (float)lab_rng_int(rng, 0, 4);
        for (size_t i = 1; i < KINDS; i++) {
            k[n * WIDTH + i] =
                (float)lab_rng_int(rng, -3, 4) + (n % S == ahead[i] ? 107.0f : 0.0f);
        }
    }
}

void fill_far_below(struct test_case *test, struct lab_rng *rng)
{
    float *k = case_f32(test, "k");
    select_channels(test, 1);
    for (size_t n = 0; n < case_count(test, "k") / WIDTH; n++) {
        k[n * WIDTH] = -1e4f + 64.0f * (float)lab_rng_int(rng, -4, 5);
    }
}

void fill_far_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    far_down(test, "k", case_dim(test, "S"));
}

// ---- properties ---------------------------------------------------------------------------

static void reverse_rows(struct test_case *test, const char *name)
{
    const size_t S = case_dim(test, "S"), hs = case_dim(test, "hs");
    float *x = case_f32(test, name);
    for (size_t n = 0; n < case_count(test, name) / hs; n++) {
        const size_t s = n % S, other = n - s + (S - 1 - s);
        for (size_t i = 0; s < S / 2 && i < hs; i++) {
            const float kept = x[n * hs + i];
            x[n * hs + i] = x[other * hs + i];
            x[other * hs + i] = kept;
        }
    }
}

void change_order_of_keys(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    reverse_rows(second, "k");
    reverse_rows(second, "v");
}

void change_last_key(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(second, "S"), hs = case_dim(second, "hs");
    float *k = case_f32(second, "k"), *v = case_f32(second, "v");
    for (size_t n = S - 1; n < case_count(second, "k") / hs; n += S) {
        for (size_t i = 0; i < hs; i++) {
            k[n * hs + i] += 3.0f;
            v[n * hs + i] -= 5.0f;
        }
    }
}

lab_status refuse_wide_heads(adaptor *call, any_function f, void *const *t,
                             const size_t *n)
{
    enum { MOST_hs = 128 };
    return n[4] > MOST_hs ? LAB_ESHAPE : call(f, t, n);
}

// BEGIN HANDED OUT
static bool same_but(const struct test_case *first, const struct test_case *second,
                     const char *output, bool exact, char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t T = case_dim(first, "T"), NH = case_dim(first, "NH");
    const size_t rows = case_dim(first, "B") * NH * T;
    const size_t width = case_count(first, output) / rows;
    for (size_t i = 0; i < rows * width; i++) {
        const size_t row = i / width;
        const float slack = exact ? 0.0f : 2e-5f + 2e-5f * fabsf(before[i]);
        const bool same = before[i] == after[i] || fabsf(before[i] - after[i]) <= slack;
        if (!same && (!exact || row % T != T - 1)) {
            snprintf(why, why_size,
                     "%s of query %zu in head %zu of sequence %zu went from %.9g to %.9g",
                     output, row % T, row / T % NH, row / T / NH, (double)before[i],
                     (double)after[i]);
            return false;
        }
    }
    return true;
}

bool near_results(const struct test_case *first, const struct test_case *second,
                  char *why, size_t why_size)
{
    return same_but(first, second, "out", false, why, why_size) &&
           same_but(first, second, "logsumexp", false, why, why_size);
}

bool earlier_queries_stay(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size)
{
    return same_but(first, second, "out", true, why, why_size) &&
           same_but(first, second, "logsumexp", true, why, why_size);
}
// END HANDED OUT
