// 08_layers.c - the steps to solutions/fast/08_language_model/layers.c.

#include <math.h>

#include "08_language_model/language_model.h"
#include "bench/ladder/ladder.h"
#include "fast/common/vector_math.h"

// The loops of the fast twin, for vectors that every machine has.

// ---- 8.3  RMSNorm -------------------------------------------------------------------------

static lab_status eight_sums(float *y, float *rrms, const float *x, const float *gain,
                             size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        rrms[n] = 1.0f / sqrtf(lab_dot(x_n, x_n, C) / (float)C + RMSNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = x_n[c] * rrms[n] * gain[c];
        }
    }
    return LAB_OK;
}

static lab_status eight_sums_backward(float *restrict dx, float *restrict dgain,
                                      const float *restrict dy, const float *restrict x,
                                      const float *restrict rrms,
                                      const float *restrict gain, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        float *dx_n = dx + n * C;
        for (size_t c = 0; c < C; c++) {
            dgain[c] += dy_n[c] * (x_n[c] * rrms[n]);
            dx_n[c] = dy_n[c] * gain[c];
        }
        const float mean = lab_dot(dx_n, x_n, C) * rrms[n] / (float)C;
        for (size_t c = 0; c < C; c++) {
            dx_n[c] = rrms[n] * (dx_n[c] - x_n[c] * rrms[n] * mean);
        }
    }
    return LAB_OK;
}

// ---- 8.4  SwiGLU --------------------------------------------------------------------------

static lab_status without_calls(float *restrict y, const float *restrict a,
                                const float *restrict b, size_t N)
{
    for (size_t n = 0; n < N; n++) {
        y[n] = a[n] / (1.0f + lab_exp(-a[n])) * b[n];
    }
    return LAB_OK;
}

static lab_status without_calls_backward(float *restrict da, float *restrict db,
                                         const float *restrict dy,
                                         const float *restrict a, const float *restrict b,
                                         size_t N)
{
    for (size_t n = 0; n < N; n++) {
        const float s = 1.0f / (1.0f + lab_exp(-a[n]));
        da[n] = dy[n] * b[n] * s * (1.0f + a[n] * (1.0f - s));
        db[n] = dy[n] * a[n] * s;
    }
    return LAB_OK;
}

// ---- 8.5  RoPE ----------------------------------------------------------------------------

static void first_positions(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t *positions = case_size(test, "positions");
    for (size_t t = 0; t < case_count(test, "positions"); t++) {
        positions[t] = t;
    }
}

// ---- the tables ---------------------------------------------------------------------------

// The sizes of one step of the story model, but for fewer sequences.
const struct ladder ladders_layers[] = {
    {"rmsnorm",
     8,
     {.dims = "N=256 C=96"},
     {{"plain: a sum in double, one after another", NULL},
      {"2  eight sums in float", LIKE(rmsnorm, eight_sums)},
      {"1  LAB_WIDE (this file)", LIKE(rmsnorm, rmsnorm)}}},
    {"rmsnorm_backward",
     8,
     {.dims = "N=256 C=96"},
     {{"plain: a sum in double, one after another", NULL},
      {"2  eight sums in float", LIKE(rmsnorm_backward, eight_sums_backward)},
      {"1  LAB_WIDE (this file)", LIKE(rmsnorm_backward, rmsnorm_backward)}}},
    {"swiglu",
     8,
     {.dims = "N=65536"},
     {{"plain: expf, a call for each number", NULL},
      {"3  lab_exp: no call", LIKE(swiglu, without_calls)},
      {"1  LAB_WIDE (this file)", LIKE(swiglu, swiglu)}}},
    {"swiglu_backward",
     8,
     {.dims = "N=65536"},
     {{"plain: expf, a call for each number", NULL},
      {"3  lab_exp: no call", LIKE(swiglu_backward, without_calls_backward)},
      {"1  LAB_WIDE (this file)", LIKE(swiglu_backward, swiglu_backward)}}},
    {"rope_backward",
     8,
     {.dims = "B=2 NH=6 T=256 hs=16", .fill = first_positions},
     {{"plain: an angle, then all heads", NULL},
      {"4  angles of a token, then every head (this file)",
       LIKE(rope_backward, rope_backward)}}},
    {0},
};
