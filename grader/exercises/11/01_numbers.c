// 01_numbers.c - exercise 11.1, numbers of two bytes: cases, known mistakes and hints.

#include "exercises/exercise.h"

#include <string.h>

#include "11_reading_attention/reading.h"

// Every pattern of two bytes that is no NaN, in order.
static void fill_patterns(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    uint8_t *bytes = case_u8(test, "bytes");
    for (size_t n = 0; n < case_count(test, "bytes") / 2; n++) {
        bytes[2 * n] = (uint8_t)(n & 0xff);
        bytes[2 * n + 1] = (uint8_t)(n >> 8 & 0xff);
    }
}

static const struct case_spec bfloat16_cases[] = {
    {.dims = "N=32640",
     .fill = fill_patterns,
     .note = "every pattern from 0 to infinity"},
    {.dims = "N=65536", .fill = fill_patterns, .nan = true, .note = "every pattern"},
    {.dims = "N=0", .fill = fill_patterns, .note = "a size of 0"},
    {0},
};

// The functions reject nothing, and write NaN themselves.
static lab_status call_with_nan(adaptor *call, any_function f, void *const *t,
                                const size_t *n)
{
    return call(f, t, n);
}

static const struct part numbers_parts[] = {
    {
        .function = "bfloat16_to_float",
        .dims = "N",
        .tensors = {{"y", "N", OUTPUT, F32, 0, 0}, {"bytes", "2N", INPUT, U8, 0, 0}},
        .cases = bfloat16_cases,
        .nan_call = call_with_nan,
    },
    {0},
};

const struct exercise exercise_11_1 = {
    .id = "11.1",
    .name = "bfloat16 and half",
    .section = "Numbers of two bytes",
    .uses = {NULL},
    .hints = {"", "", ""},
    .parts = numbers_parts,
};
