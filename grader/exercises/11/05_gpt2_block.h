// 05_gpt2_block.h - gelu_tanh and linear_in_out as parts of exercise 11.5.

#ifndef GRADER_11_GPT2_BLOCK_H
#define GRADER_11_GPT2_BLOCK_H

#include "exercises/exercise.h"

extern const struct case_spec gelu_tanh_cases[];
extern const struct mistake gelu_tanh_mistakes[];
extern const struct mistake gelu_tanh_alternatives[];
extern const struct case_spec in_out_cases[];
extern const struct mistake in_out_mistakes[];
extern const struct mistake in_out_alternatives[];

#define GELU_TANH_PART                                                                   \
    {                                                                                    \
        .function = "gelu_tanh", .dims = "N",                                            \
        .tensors = {{"y", "N", OUTPUT, F32, 1e-6f, 2e-6f},                               \
                    {"x", "N", INPUT, F32, 0, 0}},                                       \
        .cases = gelu_tanh_cases, .mistakes = gelu_tanh_mistakes,                        \
        .alternatives = gelu_tanh_alternatives,                                          \
    }
#define LINEAR_IN_OUT_PART                                                               \
    {                                                                                    \
        .function = "linear_in_out", .dims = "N I O",                                    \
        .tensors = {{"y", "N O", OUTPUT, F32, 2e-5f, 2e-5f},                             \
                    {"x", "N I", INPUT, F32, 0, 0},                                      \
                    {"w", "I O", INPUT, F32, 0, 0},                                      \
                    {"bias", "O", INPUT, F32, 0, 0}},                                    \
        .cases = in_out_cases, .mistakes = in_out_mistakes,                              \
        .alternatives = in_out_alternatives,                                             \
    }

// GPT-2's GELU.
double gelu_tanh_of(double x);

#endif
