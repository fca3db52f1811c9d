// 04_bert_layer.h - post_norm as part of exercise 11.4, and what both of its functions need.

#ifndef GRADER_11_BERT_LAYER_H
#define GRADER_11_BERT_LAYER_H

#include "exercises/exercise.h"

extern const struct case_spec post_norm_cases[];
extern const struct mistake post_norm_mistakes[];
extern const struct mistake post_norm_alternatives[];

#define POST_NORM_PART                                                                   \
    {                                                                                    \
        .function = "post_norm", .dims = "N C",                                          \
        .tensors = {{"y", "N C", OUTPUT, F32, 2e-5f, 1e-4f},                             \
                    {"x", "N C", INPUT, F32, 0, 0},                                      \
                    {"branch", "N C", INPUT, F32, 0, 0},                                 \
                    {"gain", "C", INPUT, F32, 0, 0},                                     \
                    {"bias", "C", INPUT, F32, 0, 0}},                                    \
        .cases = post_norm_cases, .mistakes = post_norm_mistakes,                        \
        .alternatives = post_norm_alternatives,                                          \
    }

// y (N, C): each row of x with mean 0 and variance 1, times gain, plus bias; sums in double. The
// squares are divided by divisor, which is C for the right variance.
void norm_rows(float *y, const float *x, const float *gain, const float *bias, double eps,
               size_t divisor, size_t N, size_t C);

// y (N, O) = x (N, I) w^T + bias, sums in double.
void linear_by_rows(float *y, const float *x, const float *w, const float *bias, size_t N,
                    size_t I, size_t O);

#endif
