// 02b_half_warp.c - exercise 10.2: attention by warps whose lanes exchange their maxima and sums only within
// each half.

#include "exercises/10/02_flash_attention.h"

#include <math.h>
#include <string.h>

enum { LANES = 32, HALVES = 2, HALF = LANES / HALVES }; // a key of a tile for each lane

// What the lanes of each half have of a query.
struct halves {
    float max[HALVES], sum[HALVES];
};

static size_t half_of(size_t i)
{
    return i % LANES / HALF;
}

// Merges `keys` keys of a tile, a lane for each, and their values v (keys, hs) into row and out (hs).
static void merge_tile(struct halves *row, float *out, const float *scores,
                       const float *v, size_t keys, size_t hs)
{
    const struct halves old = *row;
    float weights[LANES], factors[HALVES];
    for (size_t s = 0; s < keys; s++) {
        row->max[half_of(s)] = fmaxf(row->max[half_of(s)], scores[s]);
    }
    for (size_t h = 0; h < HALVES; h++) {
        factors[h] = row->max[h] == -INFINITY ? 0.0f : expf(old.max[h] - row->max[h]);
        row->sum[h] = factors[h] * old.sum[h];
    }
    for (size_t s = 0; s < keys; s++) {
        weights[s] = expf(scores[s] - row->max[half_of(s)]);
        row->sum[half_of(s)] += weights[s];
    }
    for (size_t c = 0; c < hs; c++) { // by the lane c % LANES
        out[c] *= factors[half_of(c)];
        for (size_t s = 0; s < keys; s++) {
            out[c] += weights[s] * v[s * hs + c];
        }
    }
}

// Writes out (hs) and logsumexp (1) of a query that sees the first `seen` keys.
static void attend(float *out, float *logsumexp, const float *q, const float *k,
                   const float *v, size_t seen, size_t hs)
{
    struct halves row = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};
    memset(out, 0, hs * sizeof *out);
    for (size_t s0 = 0; s0 < seen; s0 += LANES) {
        const size_t keys = seen - s0 < LANES ? seen - s0 : LANES;
        float scores[LANES];
        for (size_t s = 0; s < keys; s++) {
            double dot = 0.0;
            for (size_t c = 0; c < hs; c++) {
                dot += (double)q[c] * (double)k[(s0 + s) * hs + c];
            }
            scores[s] = (float)(dot / sqrt((double)hs));
        }
        merge_tile(&row, out, scores, v + s0 * hs, keys, hs);
    }
    for (size_t c = 0; c < hs; c++) {
        const float sum = row.sum[half_of(c)];
        out[c] = sum == 0.0f ? 0.0f : out[c] / sum;
    }
    *logsumexp = row.max[0] + logf(row.sum[0]); // lane 0's
}

lab_status flash_half_warp(float *out, float *logsumexp, const struct flash_buffers *z,
                           const float *q, const float *k, const float *v, bool causal,
                           size_t B, size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                           size_t Bc)
{
    (void)z;
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        const size_t seen = !causal ? S : t + 1 + S > T ? t + 1 + S - T : 0;
        attend(out + n * hs, logsumexp + n, q + n * hs, k + i * S * hs, v + i * S * hs,
               seen, hs);
    }
    return LAB_OK;
}
