// 10_parts.c - the steps to solutions/fast/10_flash_attention/partial.c and decode.c.
//
// The second step of decode.c is the plain file, included here, so that its calls reach the fast
// partial.c.

#include <math.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"
#include "bench/ladder/ladder.h"
#include "fast/common/vector_math.h"

// Names of its own: the linker would take the second function of a name for the first.
#define combine_partials plain_combine
#define flash_decode plain_decode
#include "../../../solutions/10_flash_attention/decode.c"
#undef combine_partials
#undef flash_decode

// ---- 10.1  vectors, in the order of the plain loops -----------------------------------------

static void see_everything(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    *case_difference(test, "diagonal") = (ptrdiff_t)case_dim(test, "N");
}

// One query and all S keys.
LAB_WIDE static void wide_row(float *max, float *sum, float *restrict weighted,
                              float *restrict scores, const float *restrict q,
                              const float *restrict k, const float *restrict v, size_t S,
                              size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t s = 0; s < S; s++) {
        scores[s] = lab_dot(q, k + s * hs, hs) * scale;
    }
    *max = lab_max(scores, S);
    for (size_t s = 0; s < S; s++) {
        scores[s] = lab_exp(scores[s] - *max);
    }
    *sum = lab_sum(scores, S);
    memset(weighted, 0, hs * sizeof *weighted);
    for (size_t s = 0; s < S; s++) {
        for (size_t i = 0; i < hs; i++) {
            weighted[i] += scores[s] * v[s * hs + i];
        }
    }
}

static lab_status wide_rows(float *max, float *sum, float *weighted, float *scores,
                            const float *q, const float *k, const float *v, size_t M,
                            size_t N, size_t hs, ptrdiff_t diagonal)
{
    (void)diagonal;
    for (size_t r = 0; r < M; r++) {
        wide_row(max + r, sum + r, weighted + r * hs, scores + r * N, q + r * hs, k, v, N,
                 hs);
    }
    return LAB_OK;
}

// ---- 10.5 -----------------------------------------------------------------------------------

static void long_text(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t *lengths = case_size(test, "lengths");
    for (size_t b = 0; b < case_count(test, "lengths"); b++) {
        lengths[b] = 4000;
    }
}

const struct ladder ladders_partial[] = {
    {"partial_attention",
     10,
     {.dims = "M=64 N=64 hs=64", .fill = see_everything},
     {{"plain", NULL},
      {"1  lab_dot, lab_max, lab_exp", LIKE(partial_attention, wide_rows)},
      {"2  four rows at a time (this file)",
       LIKE(partial_attention, partial_attention)}}},
    {"online_softmax_merge",
     10,
     {.dims = "N=64 hs=64"},
     {{"plain", NULL},
      {"1  lab_exp, LAB_WIDE (this file)",
       LIKE(online_softmax_merge, online_softmax_merge)}}},
    {0},
};

const struct ladder ladders_flash_decode[] = {
    {"flash_decode",
     10,
     {.dims = "B=1 NH=4 T_max=4096 hs=64 chunk=1024 P=4", .fill = long_text},
     {{"plain", NULL},
      {"   plain, with partial.c of this folder", LIKE(flash_decode, plain_decode)},
      {"1 2  four streams, pieces of a part (this file)",
       LIKE(flash_decode, flash_decode)}}},
    {0},
};
