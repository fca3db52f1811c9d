// maps.c - see maps.h.

#include "exercises/11/maps.h"

#include <math.h>

#include "common/rng.h"

// A softmax over the first `seen` numbers of a row; the others become 0.
static void weigh(float *row, size_t seen, size_t T)
{
    double sum = 0.0;
    for (size_t s = 0; s < T; s++) {
        row[s] = s < seen ? expf(1.5f * row[s]) : 0.0f;
        sum += (double)row[s];
    }
    for (size_t s = 0; s < T; s++) {
        row[s] = (float)((double)row[s] / sum);
    }
}

// Makes the weights whole multiples of 2^-16 that sum to exactly 1. The case bank keeps inputs, and in
// large maps the digits below that would be half of it.
static void shorten(float *row, size_t T)
{
    const float unit = 1.0f / 65536.0f;
    size_t largest = 0;
    float rest = 1.0f;
    for (size_t s = 0; s < T; s++) {
        row[s] = row[s] > 0.0f ? fmaxf(roundf(row[s] / unit), 1.0f) * unit : 0.0f;
        rest -= row[s];
        largest = row[s] > row[largest] ? s : largest;
    }
    row[largest] += rest;
}

static void fill_rows(struct test_case *test, bool causal)
{
    enum { SMALL_MAPS = 1000 };
    const size_t T = case_dim(test, "T"), count = case_count(test, "weights");
    float *weights = case_f32(test, "weights");
    for (size_t i = 0; T > 0 && i < count / T; i++) {
        weigh(weights + i * T, causal ? i % T + 1 : T, T);
        if (count > SMALL_MAPS) {
            shorten(weights + i * T, T);
        }
    }
}

void fill_weights(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_rows(test, false);
}

void fill_causal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_rows(test, true);
}

void fill_one_key(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T"), count = case_count(test, "weights");
    float *weights = case_f32(test, "weights");
    for (size_t i = 0; i < count / T; i++) {
        const size_t key = (size_t)lab_rng_int(rng, 0, (int)T);
        for (size_t s = 0; s < T; s++) {
            weights[i * T + s] = s == key ? 1.0f : 0.0f;
        }
    }
}

void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    const float tiny = 9e-7f;
    const size_t T = case_dim(test, "T"), count = case_count(test, "weights");
    fill_one_key(test, rng);
    float *weights = case_f32(test, "weights");
    for (size_t i = 0; i < count; i++) {
        weights[i] = weights[i] == 0.0f ? tiny : 1.0f - (float)(T - 1) * tiny;
    }
}

// Zeros in every other cell: also before the first weight of a row, and between two.
void fill_gaps(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T"), count = case_count(test, "weights");
    float *weights = case_f32(test, "weights");
    fill_weights(test, rng);
    for (size_t i = 0; i < count; i += T) {
        double sum = 0.0;
        for (size_t s = 0; s < T; s++) {
            weights[i + s] = (i / T + s) % 2 == 0 ? weights[i + s] : 0.0f;
            sum += (double)weights[i + s];
        }
        for (size_t s = 0; s < T; s++) {
            weights[i + s] = (float)((double)weights[i + s] / sum);
        }
    }
}

void fill_alike(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *weights = case_f32(test, "weights");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = 1.0f / (float)case_dim(test, "T");
    }
}
