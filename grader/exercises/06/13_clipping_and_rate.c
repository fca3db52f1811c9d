// 13_clipping_and_rate.c - exercise 6.13: its two functions, and hints.

#include "exercises/exercise.h"
#include "exercises/06/13_clipping_and_rate.h"

static const struct part clip_part[] = {
    {
        .function = "clip_grad_norm",
        .dims = "N",
        .tensors =
            {
                {"norm", "1", OUTPUT, F32, 1e-6f, 1e-5f},
                {"g", "N", UPDATED, F32, 1e-7f, 1e-5f},
                {"max_norm", "1", INPUT, F32, 0, 0},
            },
        .cases = clip_grad_norm_cases,
        .mistakes = clip_grad_norm_mistakes,
        .alternatives = clip_grad_norm_alternatives,
    },
    {
        .function = "learning_rate",
        .dims = "step warmup total",
        .tensors =
            {
                {"lr", "1", OUTPUT, F32, 1e-6f, 1e-5f},
                {"peak", "1", INPUT, F32, 0, 0},
                {"floor", "1", INPUT, F32, 0, 0},
            },
        .cases = learning_rate_cases,
        .mistakes = learning_rate_mistakes,
        .alternatives = learning_rate_alternatives,
    },
    {0},
};

const struct exercise exercise_6_13 = {
    .id = "6.13",
    .name = "clip_grad_norm and learning_rate",
    .section = "6.13 Clipping and the learning rate",
    .hints =
        {
            "Clipping multiplies all numbers by one factor, at most 1. The schedule has "
            "three ranges of step: draw it.",
            "norm = sqrt(sum g^2), g *= min(1, max_norm / (norm + 1e-6)). "
            "lr = peak step / warmup; then floor + (peak - floor) (1 + cos(pi p)) / 2 "
            "with p = (step - warmup) / (total - warmup); then floor.",
            "sum in double; factor = max_norm / (norm + 1e-6f); if factor < 1: g *= "
            "factor\n"
            "if step <= warmup: peak * (float)step / (float)warmup\n"
            "else if step <= total: the cosine, with p in float, not an integer"
            " division\n"
            "else: floor",
        },
    .parts = clip_part,
};
