// 05_block.c - the steps to solutions/fast/05_transformer_block/block.c.

#include <math.h>

#include "05_transformer_block/block.h"
#include "bench/ladder/ladder.h"
#include "fast/common/vector_math.h"

// As in the fast twin, for vectors that every machine has.
static lab_status eight_sums(float *y, float *mean, float *rstd, const float *x,
                             const float *gain, const float *bias, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        float *y_n = y + n * C;
        mean[n] = lab_sum(x_n, C) / (float)C;
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x_n[c] - mean[n];
        }
        rstd[n] = 1.0f / sqrtf(lab_dot(y_n, y_n, C) / (float)C + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y_n[c] = y_n[c] * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
}

static lab_status without_calls(float *y, const float *x, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] * lab_normal(x[i]).cdf;
    }
    return LAB_OK;
}

#define NORM_STEPS                                                                       \
    {                                                                                    \
        {"plain: sums in double, one after another", NULL},                              \
            {"1  eight sums in float", LIKE(layernorm, eight_sums)},                     \
            {"3  LAB_WIDE (this file)", LIKE(layernorm, layernorm)},                     \
    }

const struct ladder ladders_block[] = {
    {"layernorm", 5, {.dims = "N=256 C=32"}, NORM_STEPS},
    {"layernorm", 5, {.dims = "N=256 C=768"}, NORM_STEPS},
    {"gelu",
     5,
     {.dims = "N=32768"},
     {{"plain: erff, a call for each number", NULL},
      {"2  lab_normal: no call, no branch", LIKE(gelu, without_calls)},
      {"3  LAB_WIDE (this file)", LIKE(gelu, gelu)}}},
    {0},
};
