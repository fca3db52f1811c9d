// partial.c - a softmax in parts: the result over some keys, and merging two of them.
//
//   keys 0 ... 3  ── partial_attention ──> max, sum, weighted ──┐
//   keys 4 ... 7  ── partial_attention ──> max, sum, weighted ──┴─ merge ──> the same over 8 keys
//
// Start reading at partial_attention.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

// ---- 10.1  one part -----------------------------------------------------------------------

// BEGIN SOLUTION 10.1 helper
// How many of N keys query r sees: keys c <= r + diagonal, a prefix.
static size_t keys_seen(size_t r, size_t N, ptrdiff_t diagonal)
{
    if (diagonal >= (ptrdiff_t)N) { // r + diagonal could overflow
        return N;
    }
    const ptrdiff_t seen = (ptrdiff_t)r + diagonal + 1;
    return seen <= 0 ? 0 : (size_t)seen < N ? (size_t)seen : N;
}

static float dot(const float *a, const float *b, size_t n)
{
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}
// END SOLUTION 10.1

lab_status partial_attention(float *max, float *sum, float *weighted, float *scores,
                             const float *q, const float *k, const float *v, size_t M,
                             size_t N, size_t hs, ptrdiff_t diagonal)
{
    if (M == 0 || N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.1 partial_attention: for each query, the scores of the keys that it sees (a
    // prefix of them, perhaps none), and the largest; then the exponentials, their sum, and the
    // values weighted by them. Nothing is divided (about 19 lines, with helpers 35)
    const float scale = 1.0f / sqrtf((float)hs);
    memset(weighted, 0, M * hs * sizeof *weighted);
    for (size_t r = 0; r < M; r++) {
        const size_t seen = keys_seen(r, N, diagonal);
        max[r] = -INFINITY;
        for (size_t c = 0; c < seen; c++) {
            scores[r * N + c] = dot(q + r * hs, k + c * hs, hs) * scale;
            max[r] = fmaxf(max[r], scores[r * N + c]);
        }
        sum[r] = 0.0f;
        for (size_t c = 0; c < seen; c++) {
            const float e = expf(scores[r * N + c] - max[r]);
            sum[r] += e;
            for (size_t i = 0; i < hs; i++) {
                weighted[r * hs + i] += e * v[c * hs + i];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 10.1
}

// ---- 10.1  two parts into one -------------------------------------------------------------

lab_status online_softmax_merge(float *max, float *sum, float *weighted,
                                const float *max_b, const float *sum_b,
                                const float *weighted_b, size_t N, size_t hs)
{
    if (N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.1 online_softmax_merge: the larger maximum; one factor for each part, which
    // moves its exponentials to that maximum. -INFINITY minus -INFINITY is NaN, so leave out a part
    // without keys (about 13 lines)
    for (size_t n = 0; n < N; n++) {
        if (sum_b[n] == 0.0f) {
            continue; // a part without keys
        }
        const float m = fmaxf(max[n], max_b[n]);
        const float a = expf(max[n] - m), b = expf(max_b[n] - m); // one of them is 1
        sum[n] = a * sum[n] + b * sum_b[n];
        for (size_t i = 0; i < hs; i++) {
            weighted[n * hs + i] = a * weighted[n * hs + i] + b * weighted_b[n * hs + i];
        }
        max[n] = m;
    }
    return LAB_OK;
    // END SOLUTION 10.1
}
