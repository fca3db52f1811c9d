// cache.c - a cache of keys and values, read at the memory's speed.
// Read solutions/09_generation/cache.c first: it is the plain form of the same mathematics. With one query
// for each head, the products are those of a matrix and a vector. They do two operations for each number
// they read, so their speed depends on how the numbers are read:
//   1. own products          BLAS copies matrices to multiply them fast, which does not pay for one row.
//      (9.2, 9.5)            lab_dots reads the keys once, as four streams (fast/common/vector_math.h);
//                            the values are read as four streams, too.
//   2. one pass per head     Scores, softmax and weighted values of a head follow one another, while
//      (9.2, 9.5)            its scores are in the cache. lab_exp has no call (LAB_WIDE).
//   3. two pieces of a ring  Consecutive positions are contiguous in memory, except where the ring wraps
//      (9.5)                 around. So a head takes two products of many keys, not one for each key.
//   4. heads in parallel     With more than one thread, each takes the next head
//                            (common/parallel.h).
//
// 9.1 and 9.4 are as in the plain file, whose products are lab 2's.
//
// BEGIN MEASURED: build/bench/ladder 09_generation/cache.c (make bench DOCS=1)
// AMD EPYC; gcc 12.2; OpenBLAS core Zen; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// attention_decode, B=1, NH=12, T_max=512, hs=64
//     plain                                                       379.1 us   1.00
//        plain, with fast labs 2 and 3                            332.6 us   1.14
//     1  own products                                             124.5 us   3.05
//     2  head by head, four streams of values (this file)          92.2 us   4.11
//
// sliding_window_attention, B=1, NH=12, W=256, hs=64
//     plain                                                       868.3 us   1.00
//        plain, with fast labs 2 and 3                            839.8 us   1.03
//     1 2 3  two pieces of a ring (this file)                      48.9 us  17.76
// END MEASURED
//
// Start reading at attend_to_pieces.

#include "09_generation/generation.h"

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "common/parallel.h"
#include "fast/common/vector_math.h"

// ---- 9.1  new rows ------------------------------------------------------------------------

lab_status cache_append(float *cache, const float *rows, const size_t *lengths, size_t B,
                        size_t NKV, size_t n, size_t T_max, size_t hs)
{
    if (B == 0 || NKV == 0 || n == 0 || T_max == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (n > T_max || lengths[b] > T_max - n) {
            return LAB_ESHAPE;
        }
    }
    for (size_t i = 0; i < B * NKV; i++) { // head h of sequence b: i = b * NKV + h
        memcpy(cache + (i * T_max + lengths[i / NKV]) * hs, rows + i * n * hs,
               n * hs * sizeof *cache);
    }
    return LAB_OK;
}

// ---- 9.2  one query -----------------------------------------------------------------------

// weights (S) = softmax(scores / sqrt(hs)); scores are overwritten.
LAB_INLINE void softmax_one(float *restrict weights, float *restrict scores, size_t S,
                            size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t s = 0; s < S; s++) {
        scores[s] *= scale;
    }
    const float max = lab_max(scores, S);
    const float shift = max == -INFINITY ? 0.0f : max; // avoids -inf - -inf
    for (size_t s = 0; s < S; s++) {
        weights[s] = lab_exp(scores[s] - shift);
    }
    const float sum = lab_sum(weights, S);
    const float share = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = 0; s < S; s++) {
        weights[s] *= share;
    }
}

// out (hs) += weights (S) values (S, hs), four rows a quarter apart at a time, as in lab_dots.
LAB_INLINE void add_values(float *restrict out, const float *restrict weights,
                           const float *restrict values, size_t S, size_t hs)
{
    const size_t quarter = S / 4, apart = quarter * hs;
    for (size_t s = 0; s < quarter; s++) {
        const float *v0 = values + s * hs, *v1 = v0 + apart, *v2 = v1 + apart,
                    *v3 = v2 + apart;
        const float w0 = weights[s], w1 = weights[s + quarter],
                    w2 = weights[s + 2 * quarter], w3 = weights[s + 3 * quarter];
        for (size_t c = 0; c < hs; c++) {
            out[c] += (w0 * v0[c] + w1 * v1[c]) + (w2 * v2[c] + w3 * v3[c]);
        }
    }
    for (size_t s = 4 * quarter; s < S; s++) {
        for (size_t c = 0; c < hs; c++) {
            out[c] += weights[s] * values[s * hs + c];
        }
    }
}

// Attention of one query q (hs) to S keys. The first `near` of them lie from row `start` of keys on,
// the others from row 0 on. room: the number of weights, of which the last room - S become 0.
LAB_WIDE static void attend_to_pieces(float *restrict out, float *restrict weights,
                                      float *restrict scores, const float *restrict q,
                                      const float *restrict keys,
                                      const float *restrict values, size_t start,
                                      size_t near, size_t S, size_t room, size_t hs)
{
    lab_dots(scores, keys + start * hs, q, near, hs);
    lab_dots(scores + near, keys, q, S - near, hs);
    softmax_one(weights, scores, S, hs);
    memset(weights + S, 0, (room - S) * sizeof *weights);
    memset(out, 0, hs * sizeof *out);
    add_values(out, weights, values + start * hs, near, hs);
    add_values(out, weights + near, values, S - near, hs);
}

// What 9.2 and 9.5 have in common: NH heads of each sequence, with room keys each.
struct heads {
    float *out, *weights, *scores;
    const float *q, *keys, *values;
    const size_t *lengths;
    size_t NH, room, hs;
};

// Heads first ... first + count - 1; head h of sequence b is b * NH + h.
static void attend_heads(void *context, size_t first, size_t count)
{
    const struct heads *a = context;
    const size_t room = a->room, hs = a->hs;
    for (size_t i = first; i < first + count; i++) {
        const size_t length = a->lengths[i / a->NH];
        const size_t oldest = length > room ? length - room : 0, S = length - oldest;
        const size_t start = oldest % room, near = S < room - start ? S : room - start;
        attend_to_pieces(a->out + i * hs, a->weights + i * room, a->scores + i * room,
                         a->q + i * hs, a->keys + i * room * hs,
                         a->values + i * room * hs, start, near, S, room, hs);
    }
}

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
    struct heads heads = {out, weights, scores, q, keys, values, lengths, NH, T_max, hs};
    lab_parallel(attend_heads, &heads, B * NH);
    return LAB_OK;
}

// ---- 9.4  grouped queries -----------------------------------------------------------------

LAB_WIDE static void scale_all(float *scores, float scale, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scores[i] *= scale;
    }
}

lab_status grouped_query_attention(float *out, float *weights, float *scores,
                                   const float *q, const float *k, const float *v,
                                   const uint8_t *mask, size_t B, size_t NH, size_t NKV,
                                   size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || NKV == 0 || T == 0 || S == 0 || hs == 0 || NH % NKV != 0) {
        return LAB_ESHAPE;
    }
    const size_t G = NH / NKV; // the queries of a group are one matrix (G T, hs)
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NKV, G * T, S, hs));
    scale_all(scores, 1.0f / sqrtf((float)hs), B * NH * T * S);
    if (mask == NULL) {
        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
    }
    for (size_t i = 0; mask != NULL && i < B * NH; i++) {
        LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                               mask + i / NH * T * S, T, S));
    }
    return batched_matmul(out, weights, v, B * NKV, G * T, hs, S);
}

// ---- 9.5  a window ------------------------------------------------------------------------

lab_status ring_append(float *ring, const float *rows, const size_t *lengths, size_t B,
                       size_t NH, size_t n, size_t W, size_t hs)
{
    if (B == 0 || NH == 0 || n == 0 || W == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t j = 0; j < B * NH; j++) { // head h of sequence b: j = b * NH + h
        for (size_t i = n > W ? n - W : 0; i < n; i++) { // those before are replaced
            const size_t row = (lengths[j / NH] + i) % W;
            memcpy(ring + (j * W + row) * hs, rows + (j * n + i) * hs, hs * sizeof *ring);
        }
    }
    return LAB_OK;
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
    struct heads heads = {out, weights, scores, q, keys, values, lengths, NH, W, hs};
    lab_parallel(attend_heads, &heads, B * NH);
    return LAB_OK;
}
