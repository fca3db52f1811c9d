// cache.c - a cache of keys and values, and attention that reads it.
//
//   new key, value ── append ──> cache (B, NH, T_max, hs) ──┐
//   newest query (B, NH, hs) ──────────────────────────────┴─> out (B, NH, hs)
//
// Start reading at cache_append.

#include "09_generation/generation.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"

// ---- 9.1  new rows ------------------------------------------------------------------------

lab_status cache_append(float *cache, const float *rows, const size_t *lengths, size_t B,
                        size_t NKV, size_t n, size_t T_max, size_t hs)
{
    if (B == 0 || NKV == 0 || n == 0 || T_max == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 9.1: first check the room in every sequence; then copy, for each sequence and
    // head, n contiguous rows of hs numbers (about 12 lines)
    return lab_todo(cache, rows, lengths, B, NKV, n, T_max, hs);
}

// ---- 9.2  one query -----------------------------------------------------------------------

lab_status attention_decode(float *out, float *weights, float *scores, const float *q,
                            const float *keys, const float *values, const size_t *lengths,
                            size_t B, size_t NH, size_t T_max, size_t hs)
{
    if (B == 0 || NH == 0 || T_max == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] == 0 || lengths[b] > T_max) {
            return LAB_ESHAPE;
        }
    }
    // TODO 9.2: for each sequence and head, with T = 1 and S = lengths[b]: matmul_nt, the
    // scale, softmax, matmul; zeros after the weights (about 15 lines)
    return lab_todo(out, weights, scores, q, keys, values, lengths, B, NH, T_max, hs);
}

// ---- 9.4  grouped queries -----------------------------------------------------------------

lab_status grouped_query_attention(float *out, float *weights, float *scores,
                                   const float *q, const float *k, const float *v,
                                   const uint8_t *mask, size_t B, size_t NH, size_t NKV,
                                   size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || NKV == 0 || T == 0 || S == 0 || hs == 0 || NH % NKV != 0) {
        return LAB_ESHAPE;
    }
    // TODO 9.4: the G heads of a group are contiguous, so their queries form one matrix
    // (G T, hs) against one (S, hs); the softmax as in 4.5, under the mask of the query's
    // sequence (about 18 lines)
    return lab_todo(out, weights, scores, q, k, v, mask, B, NH, NKV, T, S, hs);
}

// ---- 9.5  a window ------------------------------------------------------------------------

lab_status ring_append(float *ring, const float *rows, const size_t *lengths, size_t B,
                       size_t NH, size_t n, size_t W, size_t hs)
{
    if (B == 0 || NH == 0 || n == 0 || W == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 9.5: row i of each head goes to (lengths[b] + i) % W (about 9 lines)
    return lab_todo(ring, rows, lengths, B, NH, n, W, hs);
}

lab_status sliding_window_attention(float *out, float *weights, float *scores,
                                    const float *q, const float *keys,
                                    const float *values, const size_t *lengths, size_t B,
                                    size_t NH, size_t W, size_t hs)
{
    if (B == 0 || NH == 0 || W == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] == 0) {
            return LAB_ESHAPE;
        }
    }
    // TODO 9.5: as attention_decode, but key i is in row (first + i) % W, so there is one
    // product for each key (about 24 lines)
    return lab_todo(out, weights, scores, q, keys, values, lengths, B, NH, W, hs);
}
