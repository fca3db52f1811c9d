// 09_int8.c - the steps to solutions/fast/09_generation/int8.c.

#include <math.h>

#include "09_generation/generation.h"
#include "bench/ladder/ladder.h"
#include "fast/common/vector_math.h"

// ---- 9.8  in floats -----------------------------------------------------------------------

// A float of every byte, eight sums side by side.
LAB_WIDE static lab_status floats_of_bytes(float *restrict y, const float *restrict x,
                                           const int8_t *restrict rows,
                                           const float *restrict scales, size_t N,
                                           size_t I, size_t O)
{
    for (size_t i = 0; i < N * O; i++) {
        const float *x_n = x + i / O * I;
        const int8_t *row = rows + i % O * I;
        float sums[LAB_LANES] = {0}, rest = 0.0f;
        size_t j = 0;
        for (; j + LAB_LANES <= I; j += LAB_LANES) {
            for (size_t lane = 0; lane < LAB_LANES; lane++) {
                sums[lane] += x_n[j + lane] * (float)row[j + lane];
            }
        }
        for (; j < I; j++) {
            rest += x_n[j] * (float)row[j];
        }
        y[i] = scales[i % O] * (LAB_ADD_LANES(sums) + rest);
    }
    return LAB_OK;
}

// Scales as a matrix of weights has them: results are near 1.
static void small_scales(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scales = case_f32(test, "scales");
    for (size_t o = 0; o < case_count(test, "scales"); o++) {
        scales[o] = 0.0005f * fabsf(scales[o]);
    }
}

const struct ladder ladders_int8[] = {
    {"quantize_rows",
     9,
     {.dims = "O=256 I=768"},
     {{"plain: fmaxf and rintf", NULL},
      {"5  wide loops (this file)", LIKE(quantize_rows, quantize_rows)}}},
    {"linear_int8",
     9,
     {.dims = "N=1 I=768 O=768", .fill = small_scales},
     {{"plain", NULL},
      {"   eight sums in float, LAB_WIDE", LIKE(linear_int8, floats_of_bytes)},
      {"1 2  whole numbers, four streams (this file)", LIKE(linear_int8, linear_int8)}}},
    {"linear_int8",
     9,
     {.dims = "N=64 I=768 O=768", .fill = small_scales},
     {{"plain", NULL},
      {"   eight sums in float, LAB_WIDE", LIKE(linear_int8, floats_of_bytes)},
      {"3  pieces as floats, and BLAS (this file)", LIKE(linear_int8, linear_int8)}}},
    {0},
};
