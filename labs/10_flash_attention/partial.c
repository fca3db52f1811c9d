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

lab_status partial_attention(float *max, float *sum, float *weighted, float *scores,
                             const float *q, const float *k, const float *v, size_t M,
                             size_t N, size_t hs, ptrdiff_t diagonal)
{
    if (M == 0 || N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 10.1: for each query, the scores of the keys that it sees (a prefix of them,
    // perhaps none), and the largest; then the exponentials, their sum, and the values
    // weighted by them. Nothing is divided (about 19 lines, with helpers 35)
    return lab_todo(max, sum, weighted, scores, q, k, v, M, N, hs, diagonal);
}

// ---- 10.1  two parts into one -------------------------------------------------------------

lab_status online_softmax_merge(float *max, float *sum, float *weighted,
                                const float *max_b, const float *sum_b,
                                const float *weighted_b, size_t N, size_t hs)
{
    if (N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // TODO 10.1: the larger maximum; one factor for each part, which moves its
    // exponentials to that maximum. -INFINITY minus -INFINITY is NaN, so leave out a part
    // without keys (about 13 lines)
    return lab_todo(max, sum, weighted, max_b, sum_b, weighted_b, N, hs);
}
