// partial.c - parts of a softmax, as vectors.
//
// Read solutions/10_flash_attention/partial.c first: it is the plain form of the same mathematics. This
// file is faster for two reasons:
//
//   1. no calls            lab_dot, lab_max and lab_exp compile to vectors (LAB_WIDE). lab_dot keeps
//                          eight sums side by side.
//   2. four rows at a time Of the keys for the scores (lab_dots), so that q is read a quarter as often;
//                          of the values, so that weighted is read and written a quarter as often.
//
// BEGIN MEASURED: build/bench/ladder 10_flash_attention/partial.c (make bench DOCS=1)
// END MEASURED
//
// Start reading at partial_attention.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

#include "fast/common/vector_math.h"

// ---- 10.1  one part -----------------------------------------------------------------------

// How many of N keys query r sees: keys c <= r + diagonal.
static size_t keys_seen(size_t r, size_t N, ptrdiff_t diagonal)
{
    if (diagonal >= (ptrdiff_t)N) { // r + diagonal could overflow
        return N;
    }
    const ptrdiff_t seen = (ptrdiff_t)r + diagonal + 1;
    return seen <= 0 ? 0 : (size_t)seen < N ? (size_t)seen : N;
}

// weighted (hs) = weights (S) v (S, hs), four rows at a time.
LAB_INLINE void weigh_values(float *restrict weighted, const float *restrict weights,
                             const float *restrict v, size_t S, size_t hs)
{
    memset(weighted, 0, hs * sizeof *weighted);
    size_t s = 0;
    for (; s + 4 <= S; s += 4) {
        const float *v0 = v + s * hs, *v1 = v0 + hs, *v2 = v1 + hs, *v3 = v2 + hs;
        const float w0 = weights[s], w1 = weights[s + 1], w2 = weights[s + 2],
                    w3 = weights[s + 3];
        for (size_t i = 0; i < hs; i++) {
            weighted[i] += (w0 * v0[i] + w1 * v1[i]) + (w2 * v2[i] + w3 * v3[i]);
        }
    }
    for (; s < S; s++) {
        for (size_t i = 0; i < hs; i++) {
            weighted[i] += weights[s] * v[s * hs + i];
        }
    }
}

// One query q (hs) and the S keys that it sees.
LAB_WIDE static void attend_row(float *max, float *sum, float *restrict weighted,
                                float *restrict scores, const float *restrict q,
                                const float *restrict k, const float *restrict v,
                                size_t S, size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    lab_dots(scores, k, q, S, hs);
    for (size_t s = 0; s < S; s++) {
        scores[s] *= scale;
    }
    const float most = lab_max(scores, S);
    for (size_t s = 0; s < S; s++) {
        scores[s] = lab_exp(scores[s] - most);
    }
    weigh_values(weighted, scores, v, S, hs);
    *max = most;
    *sum = lab_sum(scores, S);
}

lab_status partial_attention(float *max, float *sum, float *weighted, float *scores,
                             const float *q, const float *k, const float *v, size_t M,
                             size_t N, size_t hs, ptrdiff_t diagonal)
{
    if (M == 0 || N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t r = 0; r < M; r++) {
        attend_row(max + r, sum + r, weighted + r * hs, scores + r * N, q + r * hs, k, v,
                   keys_seen(r, N, diagonal), hs);
    }
    return LAB_OK;
}

// ---- 10.1  two parts into one -------------------------------------------------------------

LAB_WIDE static void merge_row(float *restrict weighted, const float *restrict weighted_b,
                               float a, float b, size_t hs)
{
    for (size_t i = 0; i < hs; i++) {
        weighted[i] = a * weighted[i] + b * weighted_b[i];
    }
}

lab_status online_softmax_merge(float *max, float *sum, float *weighted,
                                const float *max_b, const float *sum_b,
                                const float *weighted_b, size_t N, size_t hs)
{
    if (N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float m = max[n] > max_b[n] ? max[n] : max_b[n];
        const float shift = m == -INFINITY ? 0.0f : m; // -inf - -inf would be NaN
        const float a = lab_exp(max[n] - shift), b = lab_exp(max_b[n] - shift);
        sum[n] = a * sum[n] + b * sum_b[n];
        merge_row(weighted + n * hs, weighted_b + n * hs, a, b, hs);
        max[n] = m;
    }
    return LAB_OK;
}
