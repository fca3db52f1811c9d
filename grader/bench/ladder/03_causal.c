// 03_causal.c - the steps to solutions/fast/03_causal_mask/causal.c.

#include <math.h>

#include "03_causal_mask/causal.h"
#include "bench/ladder/ladder.h"
#include "fast/common/vector_math.h"

// A forbidden score is -infinity from the start, so no later loop tests the mask.
static lab_status without_a_branch(float *weights, const float *scores,
                                   const uint8_t *mask, size_t N, size_t S)
{
    for (size_t n = 0; n < N; n++) {
        float *weights_n = weights + n * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] = mask[n * S + s] != 0 ? scores[n * S + s] : -INFINITY;
            max = fmaxf(max, weights_n[s]);
        }
        const float shift = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] = expf(weights_n[s] - shift);
            sum += weights_n[s];
        }
        const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] *= scale;
        }
    }
    return LAB_OK;
}

// The same row in loops that the compiler can vectorize.
LAB_WIDE static void wide_row(float *restrict weights, const float *restrict scores,
                              const uint8_t *restrict mask, size_t S)
{
    for (size_t s = 0; s < S; s++) {
        weights[s] = mask[s] != 0 ? scores[s] : -INFINITY;
    }
    const float max = lab_max(weights, S);
    const float shift = max == -INFINITY ? 0.0f : max;
    for (size_t s = 0; s < S; s++) {
        weights[s] = lab_exp(weights[s] - shift);
    }
    const float sum = lab_sum(weights, S);
    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = 0; s < S; s++) {
        weights[s] *= scale;
    }
}

static lab_status wide_rows(float *weights, const float *scores, const uint8_t *mask,
                            size_t N, size_t S)
{
    for (size_t n = 0; n < N; n++) {
        wide_row(weights + n * S, scores + n * S, mask + n * S, S);
    }
    return LAB_OK;
}

#define STEPS                                                                            \
    {                                                                                    \
        {"plain: a branch for each key, expf", NULL},                                    \
            {"1  no branch for a mask, one division a row",                              \
             LIKE(masked_softmax, without_a_branch)},                                    \
            {"2  lab_max, lab_exp, lab_sum, LAB_WIDE", LIKE(masked_softmax, wide_rows)}, \
            {"3  pass by pass over a few rows (this file)",                              \
             LIKE(masked_softmax, masked_softmax)},                                      \
    }

const struct ladder ladders_causal[] = {
    {"masked_softmax", 3, {.dims = "N=512 S=8"}, STEPS},
    {"masked_softmax", 3, {.dims = "N=512 S=512"}, STEPS},
    {0},
};
