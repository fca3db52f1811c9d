// inputs.c - see inputs.h.

#include "exercises/common/inputs.h"

#include <math.h>

void scale_input(struct test_case *test, const char *input, float by)
{
    float *x = case_f32(test, input);
    for (size_t i = 0; i < case_count(test, input); i++) {
        x[i] *= by;
    }
}

void shift_input(struct test_case *test, const char *input, float by)
{
    float *x = case_f32(test, input);
    for (size_t i = 0; i < case_count(test, input); i++) {
        x[i] += by;
    }
}

void make_whole(struct test_case *test, const char *input)
{
    float *x = case_f32(test, input);
    for (size_t i = 0; i < case_count(test, input); i++) {
        x[i] = copysignf(1.0f + floorf(2.0f * fabsf(x[i])), x[i]);
    }
}

void make_small(struct test_case *test, const char *input)
{
    float *x = case_f32(test, input);
    for (size_t i = 0; i < case_count(test, input); i++) {
        x[i] = copysignf(fabsf(x[i]) < 0.7f ? 1.0f : 2.0f, x[i]);
    }
}

void whole_steps_from(struct test_case *test, float base)
{
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = base + rintf(2.0f * scores[i]);
    }
}

void small_shares(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = -(float)(i * 5 % 13);
    }
}

void coarse_input(struct test_case *test, const char *name)
{
    float *numbers = case_f32(test, name);
    for (size_t i = 0; i < case_count(test, name); i++) {
        numbers[i] = roundf(4.0f * numbers[i]) / 4.0f;
    }
}
