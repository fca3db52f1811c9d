// 04_heads.c - the steps to solutions/fast/04_multi_head/heads.c.

#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "bench/ladder/ladder.h"

static void causal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    uint8_t *mask = case_u8(test, "mask");
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        mask[i] = i % S <= i / S % T;
    }
}

// Sequence b has S / (b + 2) tokens, and the rest is padding. The first query sees nothing.
static void padded(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    uint8_t *mask = case_u8(test, "mask");
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        const size_t b = i / S / T, t = i / S % T;
        mask[i] = t > 0 && i % S < S / (b + 2);
    }
}

// The code of the plain solution, on the fast twins of labs 2 and 3, which are linked in here.
static lab_status on_fast_labs(float *out, float *weights, float *scores, const float *q,
                               const float *k, const float *v, const uint8_t *mask,
                               size_t B, size_t NH, size_t T, size_t S, size_t hs)
{
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NH, T, S, hs));
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        scores[i] *= scale;
    }
    for (size_t i = 0; i < B * NH; i++) {
        LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                               mask + i / NH * T * S, T, S));
    }
    return batched_matmul(out, weights, v, B * NH, T, hs, S);
}

static lab_status head_by_head(float *out, float *weights, float *scores, const float *q,
                               const float *k, const float *v, const uint8_t *mask,
                               size_t B, size_t NH, size_t T, size_t S, size_t hs)
{
    for (size_t i = 0; i < B * NH; i++) {
        LAB_TRY(on_fast_labs(out + i * T * hs, weights + i * T * S, scores + i * T * S,
                             q + i * T * hs, k + i * S * hs, v + i * S * hs,
                             mask + i / NH * T * S, 1, 1, T, S, hs));
    }
    return LAB_OK;
}

static lab_status scaled_queries(float *out, float *weights, float *scores,
                                 const float *q, const float *k, const float *v,
                                 const uint8_t *mask, size_t B, size_t NH, size_t T,
                                 size_t S, size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH; i++) {
        float *scores_i = scores + i * T * S, *weights_i = weights + i * T * S;
        float *out_i = out + i * T * hs, *scaled_q = out_i;
        for (size_t j = 0; j < T * hs; j++) {
            scaled_q[j] = q[i * T * hs + j] * scale;
        }
        LAB_TRY(batched_matmul_nt(scores_i, scaled_q, k + i * S * hs, 1, T, S, hs));
        LAB_TRY(masked_softmax(weights_i, scores_i, mask + i / NH * T * S, T, S));
        LAB_TRY(batched_matmul(out_i, weights_i, v + i * S * hs, 1, T, hs, S));
    }
    return LAB_OK;
}

#define ATTENTION(f) LIKE(scaled_dot_product_attention, f)
#define STEPS                                                                            \
    {                                                                                    \
        {"plain, on the plain labs 2 and 3", NULL},                                      \
            {"   plain, on the fast labs 2 and 3", ATTENTION(on_fast_labs)},             \
            {"1  one head at a time", ATTENTION(head_by_head)},                          \
            {"2  q times the scale", ATTENTION(scaled_queries)},                         \
            {"3 4  products of tiles, keys that are seen (this file)",                   \
             ATTENTION(scaled_dot_product_attention)},                                   \
    }

const struct ladder ladders_heads[] = {
    {"scaled_dot_product_attention",
     4,
     {.dims = "B=2 NH=12 T=256 S=256 hs=64", .fill = causal},
     STEPS},
    {"scaled_dot_product_attention",
     4,
     {.dims = "B=3 NH=4 T=150 S=123 hs=48", .fill = padded},
     STEPS},
    {"scaled_dot_product_attention",
     4,
     {.dims = "B=32 NH=4 T=8 S=8 hs=8", .fill = causal},
     STEPS},
    {"split_heads",
     4,
     {.dims = "B=32 T=8 C=32 NH=4 hs=8"},
     {{"plain: memcpy for each row of a head", NULL},
      {"5  copied inline (this file)", LIKE(split_heads, split_heads)}}},
    {0},
};
