// shared.c - see shared.h.

#include "exercises/exercise.h"
#include "exercises/08/shared.h"

#include <math.h>
#include <stdlib.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

void must(lab_status status)
{
    if (status != LAB_OK) {
        abort();
    }
}

float *borrow(size_t n)
{
    float *memory = calloc(n > 0 ? n : 1, sizeof *memory);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

void set_all(struct test_case *test, const char *name, float value)
{
    float *x = case_f32(test, name);
    for (size_t i = 0, count = case_count(test, name); i < count; i++) {
        x[i] = value;
    }
}

void enlarge_rows(float *x, size_t N, size_t C, float least)
{
    for (float *row = x; row < x + N * C; row += C) {
        double square = 0.0;
        for (size_t c = 0; c < C; c++) {
            square += (double)row[c] * (double)row[c] / (double)C;
        }
        const double by = (double)least / sqrt(square);
        for (size_t c = 0; c < C && by > 1.0; c++) {
            row[c] = (float)((double)row[c] * by);
        }
    }
}

void draw_tokens(size_t *tokens, size_t count, size_t V, struct lab_rng *rng)
{
    for (size_t i = 0; i < count && V > 0; i++) {
        tokens[i] = lab_rng_next32(rng) % V;
    }
}

double uniform(struct lab_rng *rng)
{
    float u;
    lab_rng_rand(rng, &u, 1);
    return (double)u;
}
