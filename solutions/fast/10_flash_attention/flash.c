// flash.c - attention tile by tile, at the speed of a matrix product.
//
// Read solutions/10_flash_attention/flash.c first: it is the plain form of the same mathematics. The
// steps that led here:
//
//   1. tiles as products    64 queries by 64 keys: their scores are one product, their sums of values
//                           another.
//   2. queries as lanes     Scores are stored as (keys, queries), so the softmax works on 16 queries at
//                           once and never adds up numbers of one vector. BLAS would copy both factors of
//                           each product; here q is transposed, once for all tiles of keys, and k, v
//                           and the weights are multiplied in place (fast/common/attention_tile.h). The
//                           sums are in registers (fast/common/tile_product.h).
//   3. own exp2             lab_exp2 has no call and does half of the work of lab_exp. Scores are in units of
//                           log 2, which costs nothing, because q is scaled anyway.
//   4. nothing unseen       No tile in the future is visited. At the diagonal, products skip the keys
//                           that no query sees.
//   5. blocks in parallel   With more than one thread, each takes the next block of queries
//                           (common/parallel.h).
// Every block of queries has its own tiles, of a size that suits the cache. So the workspaces of the
// contract are not used, and neither are Br and Bc, except to count tiles (10.3).
//
// BEGIN MEASURED: build/bench/ladder 10_flash_attention/flash.c (make bench DOCS=1)
// END MEASURED
//
// Start reading at attend_block.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

#include "fast/common/attention_tile.h"
#include "common/parallel.h"
#include "fast/common/vector_math.h"

static const float LOG2_E = 1.44269504f, LN_2 = 0.693147181f;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The result for a block of queries after some tiles of keys (10.1); weighted is in out. Scores are in
// units of log 2: an exponential is then a power of 2.
struct block {
    float max[LAB_QUERIES], sum[LAB_QUERIES];
    float factor[LAB_QUERIES]; // rescales the earlier sums to the new maximum
    struct lab_transposed q;
    float scores[LAB_KEYS][LAB_QUERIES]; // of one tile; then its weights
};

// ---- softmax ------------------------------------------------------------------------------

// Unseen keys get a score of -infinity: they count neither in the maximum nor in the sum.
static void hide_keys(struct block *z, const struct lab_tile *tile)
{
    for (size_t c = 0; c < tile->keys; c++) {
        const size_t unseen = lab_clamp((ptrdiff_t)c - tile->diagonal, LAB_QUERIES);
        for (size_t r = 0; r < unseen; r++) {
            z->scores[c][r] = -INFINITY;
        }
    }
}

// Turns the scores into weights and merges their maximum and sum. All loops run along the queries.
LAB_WIDE static void merge_scores(struct block *z, size_t keys)
{
    float max[LAB_QUERIES], shift[LAB_QUERIES];
    memcpy(max, z->max, sizeof max);
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            max[r] = z->scores[c][r] > max[r] ? z->scores[c][r] : max[r];
        }
    }
    for (size_t r = 0; r < LAB_QUERIES; r++) {
        shift[r] = max[r] == -INFINITY ? 0.0f : max[r]; // -inf - -inf would be NaN
        z->factor[r] = lab_exp2(z->max[r] - shift[r]);
        z->sum[r] *= z->factor[r];
        z->max[r] = max[r];
    }
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            z->scores[c][r] = lab_exp2(z->scores[c][r] - shift[r]);
            z->sum[r] += z->scores[c][r];
        }
    }
}

LAB_WIDE static void scale_rows(float *restrict out, const float *restrict factor,
                                size_t rows, size_t hs)
{
    for (size_t r = 0; r < rows; r++) {
        if (factor[r] != 1.0f) { // after a few tiles, most maxima stay
            for (size_t i = 0; i < hs; i++) {
                out[r * hs + i] *= factor[r];
            }
        }
    }
}

// ---- a block of queries -------------------------------------------------------------------

struct heads {
    float *out, *logsumexp;
    const float *q, *k, *v;
    bool causal;
    size_t T, S, hs;
};

static void begin_block(struct block *z, float *out, const float *q, size_t rows,
                        size_t hs)
{
    for (size_t r = 0; r < LAB_QUERIES; r++) {
        z->max[r] = -INFINITY;
        z->sum[r] = 0.0f;
    }
    lab_transpose(&z->q, q, LOG2_E / sqrtf((float)hs), rows, hs);
    memset(out, 0, rows * hs * sizeof *out);
}

static void end_block(float *out, float *logsumexp, struct block *z, size_t rows,
                      size_t hs)
{
    for (size_t r = 0; r < rows; r++) {
        z->factor[r] = z->sum[r] == 0.0f ? 0.0f : 1.0f / z->sum[r];
        logsumexp[r] = z->max[r] * LN_2 + logf(z->sum[r]); // no key: -inf
    }
    scale_rows(out, z->factor, rows, hs);
}

// Queries t0, ... of head i.
static void attend_block(const struct heads *a, size_t i, size_t t0)
{
    const size_t T = a->T, S = a->S, hs = a->hs, rows = smaller(LAB_QUERIES, T - t0);
    const size_t end = lab_keys_seen(t0 + rows, a->causal, T, S);
    float *out = a->out + (i * T + t0) * hs;

    struct block z;
    begin_block(&z, out, a->q + (i * T + t0) * hs, rows, hs);
    for (size_t s0 = 0; s0 < end; s0 += LAB_KEYS) {
        const struct lab_tile tile = lab_tile_at(t0, s0, a->causal, T, S);
        const size_t key = (i * S + s0) * hs;
        lab_tile_scores(z.scores[0], &tile, a->k + key, &z.q);
        hide_keys(&z, &tile);
        merge_scores(&z, tile.keys);
        scale_rows(out, z.factor, rows, hs);
        lab_tile_to_queries(out, &tile, z.scores[0], a->v + key, hs);
    }
    end_block(out, a->logsumexp + i * T + t0, &z, rows, hs);
}

static size_t blocks_of(size_t T)
{
    return T / LAB_QUERIES + (T % LAB_QUERIES != 0);
}

// Blocks first ... first + count - 1 of all heads.
static void attend_blocks(void *context, size_t first, size_t count)
{
    const struct heads *a = context;
    const size_t blocks = blocks_of(a->T);
    for (size_t j = first; j < first + count; j++) {
        attend_block(a, j / blocks, j % blocks * LAB_QUERIES);
    }
}

// ---- 10.2, 10.3 ---------------------------------------------------------------------------

lab_status flash_attention(float *out, float *logsumexp, const struct flash_buffers *z,
                           const float *q, const float *k, const float *v, bool causal,
                           size_t B, size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                           size_t Bc)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    (void)z; // every thread has its own tiles
    struct heads heads = {out, logsumexp, q, k, v, causal, T, S, hs};
    lab_parallel(attend_blocks, &heads, B * NH * blocks_of(T));
    return LAB_OK;
}

lab_status flash_attention_causal(float *out, float *logsumexp, size_t *visited,
                                  const struct flash_buffers *z, const float *q,
                                  const float *k, const float *v, size_t B, size_t NH,
                                  size_t T, size_t S, size_t hs, size_t Br, size_t Bc)
{
    LAB_TRY(flash_attention(out, logsumexp, z, q, k, v, true, B, NH, T, S, hs, Br, Bc));
    // The count is that of tiles of Br by Bc, as if these had been visited.
    size_t tiles = 0;
    for (size_t t0 = 0; t0 < T; t0 += Br) {
        const size_t seen = lab_keys_seen(t0 + smaller(Br, T - t0), true, T, S);
        tiles += seen / Bc + (seen % Bc != 0);
    }
    *visited = B * NH * tiles;
    return LAB_OK;
}
