// 08_int8.c - exercise 9.8, int8 weights: cases, known mistakes and hints.

#include "exercises/exercise.h"

#include "09_generation/generation.h"

static const struct case_spec quantize_rows_cases[] = {
    {.dims = "O=3 I=4"},
    {.dims = "O=0 I=4", .note = "a size of 0"},
    {.dims = "O=3 I=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec linear_int8_cases[] = {
    {.dims = "N=2 I=5 O=3"},
    {0},
};

static const struct mistake no_mistakes[] = {{0}};

static const struct part int8_parts[] = {
    {
        .function = "quantize_rows",
        .dims = "O I",
        .tensors =
            {
                {"rows", "O I", OUTPUT, I8, 0, 0},
                {"scales", "O", OUTPUT, F32, 0, 1e-6f},
                {.name = "w", .shape = "O I"},
            },
        .cases = quantize_rows_cases,
        .mistakes = no_mistakes,
    },
    {
        .function = "linear_int8",
        .dims = "N I O",
        .tensors =
            {
                {"y", "N O", OUTPUT, F32, 1e-5f, 1e-5f},
                {.name = "x", .shape = "N I"},
                {"rows", "O I", INPUT, I8, 0, 0},
                {.name = "scales", .shape = "O"},
            },
        .cases = linear_int8_cases,
        .mistakes = no_mistakes,
    },
    {0},
};

const struct exercise exercise_9_8 = {
    .id = "9.8",
    .name = "int8",
    .section = "9.8 Weights of one byte",
    .hints = {"?", "?", "?"},
    .parts = int8_parts,
};
