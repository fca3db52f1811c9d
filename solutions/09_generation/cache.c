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
    // BEGIN SOLUTION 9.1 cache_append: first check the room in every sequence; then copy, for
    // each sequence and head, n contiguous rows of hs numbers (about 12 lines)
    for (size_t b = 0; b < B; b++) {
        if (n > T_max || lengths[b] > T_max - n) { // a sum could wrap around
            return LAB_ESHAPE;
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NKV; h++) {
            const size_t i = b * NKV + h;
            memcpy(cache + (i * T_max + lengths[b]) * hs, rows + i * n * hs,
                   n * hs * sizeof *cache);
        }
    }
    return LAB_OK;
    // END SOLUTION 9.1
}

// ---- 9.2  one query -----------------------------------------------------------------------

// BEGIN SOLUTION 9.2 helper
static void scale_scores(float *scores, size_t count, size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < count; i++) {
        scores[i] *= scale;
    }
}
// END SOLUTION 9.2

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
    // BEGIN SOLUTION 9.2 attention_decode: for each sequence and head, with T = 1 and S =
    // lengths[b]: matmul_nt, the scale, softmax, matmul; zeros after the weights (about 15 lines)
    for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
        const size_t S = lengths[i / NH];
        float *scores_i = scores + i * T_max, *weights_i = weights + i * T_max;
        LAB_TRY(matmul_nt(scores_i, q + i * hs, keys + i * T_max * hs, 1, S, hs));
        scale_scores(scores_i, S, hs);
        LAB_TRY(batched_softmax(weights_i, scores_i, 1, 1, S));
        memset(weights_i + S, 0, (T_max - S) * sizeof *weights);
        LAB_TRY(matmul(out + i * hs, weights_i, values + i * T_max * hs, 1, hs, S));
    }
    return LAB_OK;
    // END SOLUTION 9.2
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
    // BEGIN SOLUTION 9.4 grouped_query_attention: the G heads of a group are contiguous,
    // so their queries form one matrix (G T, hs) against one (S, hs); the softmax as in 4.5, under
    // the mask of the query's sequence (about 18 lines)
    const size_t G = NH / NKV;
    LAB_TRY(batched_matmul_nt(scores, q, k, B * NKV, G * T, S, hs));
    scale_scores(scores, B * NH * T * S, hs);

    if (mask == NULL) {
        LAB_TRY(batched_softmax(weights, scores, B * NH, T, S));
    } else {
        for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
            LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,
                                   mask + i / NH * T * S, T, S));
        }
    }
    return batched_matmul(out, weights, v, B * NKV, G * T, hs, S);
    // END SOLUTION 9.4
}

// ---- 9.5  a window ------------------------------------------------------------------------

lab_status ring_append(float *ring, const float *rows, const size_t *lengths, size_t B,
                       size_t NH, size_t n, size_t W, size_t hs)
{
    if (B == 0 || NH == 0 || n == 0 || W == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.5 ring_append: row i of each head goes to (lengths[b] + i) % W (about 9
    // lines)
    for (size_t j = 0; j < B * NH; j++) { // head h of sequence b: j = b * NH + h
        for (size_t i = 0; i < n; i++) {
            const size_t row = (lengths[j / NH] + i) % W;
            memcpy(ring + (j * W + row) * hs, rows + (j * n + i) * hs, hs * sizeof *ring);
        }
    }
    return LAB_OK;
    // END SOLUTION 9.5
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
    // BEGIN SOLUTION 9.5 sliding_window_attention: as attention_decode, but key i is in row
    // (first + i) % W, so there is one product for each key (about 24 lines)
    for (size_t j = 0; j < B * NH; j++) { // head h of sequence b: j = b * NH + h
        const size_t length = lengths[j / NH];
        const size_t first = length > W ? length - W : 0, S = length - first;
        const float *keys_j = keys + j * W * hs, *values_j = values + j * W * hs;
        float *scores_j = scores + j * W, *weights_j = weights + j * W,
              *out_j = out + j * hs;

        for (size_t i = 0; i < S; i++) {
            const float *key = keys_j + (first + i) % W * hs;
            LAB_TRY(matmul_nt(scores_j + i, q + j * hs, key, 1, 1, hs));
        }
        scale_scores(scores_j, S, hs);
        LAB_TRY(batched_softmax(weights_j, scores_j, 1, 1, S));
        memset(weights_j + S, 0, (W - S) * sizeof *weights);

        memset(out_j, 0, hs * sizeof *out);
        for (size_t i = 0; i < S; i++) {
            const float *value = values_j + (first + i) % W * hs;
            for (size_t c = 0; c < hs; c++) {
                out_j[c] += weights_j[i] * value[c];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 9.5
}
