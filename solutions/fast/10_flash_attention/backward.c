// backward.c - back through attention tile by tile, at the speed of matrix products.
//
// Read solutions/10_flash_attention/backward.c first: it is the plain form of the same mathematics. The
// steps that led here are those of flash.c:
//
//   1. tiles as products    A tile of 64 queries by 64 keys takes five products: scores, dweights, and
//                           its shares of dv, dk and dq. Weights are stored as (keys, queries), so only q and
//                           dout are transposed, once for all tiles of keys; the sums are in registers
//                           (fast/common/attention_tile.h).
//   2. own exp2             The weights are powers of 2 (lab_exp2).
//   3. nothing unseen       No tile in the future is visited. At the diagonal, products skip the keys
//                           that no query sees.
//   4. heads in parallel    With more than one thread, each takes the next head (common/parallel.h).
//                           One thread adds up all of a head's dk and dv, so the order stays the same.
// Every block of queries has its own tiles, so the workspaces, Br and Bc are not used.
//
// BEGIN MEASURED: build/bench/ladder 10_flash_attention/backward.c (make bench DOCS=1)
// END MEASURED
//
// Start reading at gradients_of_block.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

#include "fast/common/attention_tile.h"
#include "common/parallel.h"
#include "fast/common/vector_math.h"

static const float LOG2_E = 1.44269504f;

struct heads {
    float *dq, *dk, *dv;
    const float *dout, *out, *logsumexp, *q, *k, *v;
    bool causal;
    size_t T, S, hs;
};

// A block of queries, and a tile of weights for them.
struct block {
    float logsumexp[LAB_QUERIES]; // in units of log 2
    float delta[LAB_QUERIES];
    float scale; // 1 / sqrt(hs)
    struct lab_transposed q, dout;
    float weights[LAB_KEYS][LAB_QUERIES], dscores[LAB_KEYS][LAB_QUERIES];
};

// Queries n, n + 1, ... of all heads.
LAB_WIDE static void begin_block(struct block *z, const struct heads *a, size_t n,
                                 size_t queries)
{
    const size_t hs = a->hs;
    z->scale = 1.0f / sqrtf((float)hs);
    lab_transpose(&z->q, a->q + n * hs, LOG2_E * z->scale, queries, hs);
    lab_transpose(&z->dout, a->dout + n * hs, 1.0f, queries, hs);
    for (size_t r = 0; r < LAB_QUERIES; r++) { // infinity: all weights are 0
        const float logsumexp = r < queries ? a->logsumexp[n + r] : -INFINITY;
        z->logsumexp[r] = logsumexp == -INFINITY ? INFINITY : LOG2_E * logsumexp;
        z->delta[r] = r < queries
                          ? lab_dot(a->dout + (n + r) * hs, a->out + (n + r) * hs, hs)
                          : 0.0f;
    }
}

// weights holds scores, and dscores holds dweights.
LAB_WIDE static void weigh_scores(struct block *z, size_t keys)
{
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            z->weights[c][r] = lab_exp2(z->weights[c][r] - z->logsumexp[r]);
            z->dscores[c][r] =
                z->weights[c][r] * (z->dscores[c][r] - z->delta[r]) * z->scale;
        }
    }
}

// What queries t0, ... of head i give: all of their dq, and their share of dk and dv.
static void gradients_of_block(const struct heads *a, size_t i, size_t t0)
{
    const size_t T = a->T, S = a->S, hs = a->hs, query = (i * T + t0) * hs;
    const size_t rows = T - t0 < LAB_QUERIES ? T - t0 : LAB_QUERIES;
    const size_t end = lab_keys_seen(t0 + rows, a->causal, T, S);

    struct block z;
    begin_block(&z, a, i * T + t0, rows);
    for (size_t s0 = 0; s0 < end; s0 += LAB_KEYS) {
        const struct lab_tile tile = lab_tile_at(t0, s0, a->causal, T, S);
        const size_t key = (i * S + s0) * hs;
        lab_tile_scores(z.weights[0], &tile, a->k + key, &z.q);
        lab_tile_scores(z.dscores[0], &tile, a->v + key, &z.dout);
        weigh_scores(&z, tile.keys);
        lab_tile_to_keys(a->dv + key, &tile, z.weights[0], a->dout + query, hs);
        lab_tile_to_keys(a->dk + key, &tile, z.dscores[0], a->q + query, hs);
        lab_tile_to_queries(a->dq + query, &tile, z.dscores[0], a->k + key, hs);
    }
}

// Heads first ... first + count - 1. One thread adds up all of a head, in the same order every time.
static void gradients_of_heads(void *context, size_t first, size_t count)
{
    const struct heads *a = context;
    for (size_t i = first; i < first + count; i++) {
        memset(a->dq + i * a->T * a->hs, 0, a->T * a->hs * sizeof *a->dq);
        memset(a->dk + i * a->S * a->hs, 0, a->S * a->hs * sizeof *a->dk);
        memset(a->dv + i * a->S * a->hs, 0, a->S * a->hs * sizeof *a->dv);
        const size_t t_first =
            a->causal && a->T > a->S ? a->T - a->S : 0; // queries before see no key
        for (size_t t0 = t_first; t0 < a->T; t0 += LAB_QUERIES) {
            gradients_of_block(a, i, t0);
        }
    }
}

lab_status flash_attention_backward(float *dq, float *dk, float *dv,
                                    const struct flash_backward_buffers *z,
                                    const float *dout, const float *out,
                                    const float *logsumexp, const float *q,
                                    const float *k, const float *v, bool causal, size_t B,
                                    size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                                    size_t Bc)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    (void)z; // every thread has its own tiles
    struct heads heads = {dq, dk, dv, dout, out, logsumexp, q, k, v, causal, T, S, hs};
    lab_parallel(gradients_of_heads, &heads, B * NH);
    return LAB_OK;
}
