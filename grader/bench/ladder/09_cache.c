// 09_cache.c - the steps to solutions/fast/09_generation/cache.c.
//
// The step after the plain one is the plain file itself, included here, so that its calls reach
// the fast functions of labs 2 and 3.

#include <math.h>
#include <string.h>

#include "09_generation/generation.h"
#include "bench/ladder/ladder.h"
#include "fast/common/vector_math.h"

// Names of its own: the linker would take the second function of a name for the first.
#define cache_append plain_append
#define attention_decode plain_attention
#define grouped_query_attention plain_grouped
#define ring_append plain_ring_append
#define sliding_window_attention plain_window
#include "../../../solutions/09_generation/cache.c"
#undef cache_append
#undef attention_decode
#undef grouped_query_attention
#undef ring_append
#undef sliding_window_attention

// Every sequence has this many tokens.
static void long_text(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t *lengths = case_size(test, "lengths");
    for (size_t b = 0; b < case_count(test, "lengths"); b++) {
        lengths[b] = 500;
    }
}

// ---- 9.2  products of its own, each a pass over all heads ---------------------------------

LAB_WIDE static lab_status own_products(float *out, float *weights, float *scores,
                                        const float *q, const float *keys,
                                        const float *values, const size_t *lengths,
                                        size_t B, size_t NH, size_t T_max, size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH; i++) {
        lab_dots(scores + i * T_max, keys + i * T_max * hs, q + i * hs, lengths[i / NH],
                 hs);
    }
    for (size_t i = 0; i < B * NH; i++) {
        const size_t S = lengths[i / NH];
        float *scores_i = scores + i * T_max;
        for (size_t s = 0; s < S; s++) {
            scores_i[s] *= scale;
        }
        LAB_TRY(batched_softmax(weights + i * T_max, scores_i, 1, 1, S));
        memset(weights + i * T_max + S, 0, (T_max - S) * sizeof *weights);
    }
    memset(out, 0, B * NH * hs * sizeof *out);
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t s = 0; s < lengths[i / NH]; s++) {
            const float weight = weights[i * T_max + s];
            for (size_t c = 0; c < hs; c++) {
                out[i * hs + c] += weight * values[(i * T_max + s) * hs + c];
            }
        }
    }
    return LAB_OK;
}

const struct ladder ladders_cache[] = {
    {"attention_decode",
     9,
     {.dims = "B=1 NH=12 T_max=512 hs=64", .fill = long_text},
     {{"plain", NULL},
      {"   plain, with fast labs 2 and 3", LIKE(attention_decode, plain_attention)},
      {"1  own products", LIKE(attention_decode, own_products)},
      {"2  head by head, four streams of values (this file)",
       LIKE(attention_decode, attention_decode)}}},
    {"sliding_window_attention",
     9,
     {.dims = "B=1 NH=12 W=256 hs=64", .fill = long_text},
     {{"plain", NULL},
      {"   plain, with fast labs 2 and 3", LIKE(sliding_window_attention, plain_window)},
      {"1 2 3  two pieces of a ring (this file)",
       LIKE(sliding_window_attention, sliding_window_attention)}}},
    {0},
};
