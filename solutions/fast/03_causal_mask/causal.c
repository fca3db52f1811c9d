// causal.c - lab 3 at the hardware's speed: the twin of solutions/03_causal_mask/causal.c.
//
// Read the plain file first. This one computes the same, faster. The steps that led here:
//
//   1. no branch for a mask     First, a forbidden score becomes -infinity. The largest score, the
//      (3.3)                    exponentials and the sum then need no test, because the exponential of
//                               -infinity is exactly 0. (Alone this costs time: expf is also called
//                               for forbidden keys.) One division for a row, not one for each key.
//   2. lab_max, lab_exp,        expf is a call for each number; lab_exp has no call and no branch. So
//      lab_sum                  the compiler can work on 4 to 16 numbers at a time (LAB_WIDE).
//   3. one pass after another   For a short row, starting a vector loop costs more than it saves. So
//      over a few rows          each loop does one thing to 2048 numbers, which stay in the cache.
//
// 3.1, 3.2 and 3.5 are as in the plain file. 3.4 multiplies by the scale instead of
// dividing by the root.
//
// BEGIN MEASURED: build/bench/ladder 03_causal_mask/causal.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// masked_softmax, N=512, S=8
//     plain: a branch for each key, expf                           36.9 us   1.00
//     1  no branch for a mask, one division a row                  49.9 us   0.74
//     2  lab_max, lab_exp, lab_sum, LAB_WIDE                       55.4 us   0.67
//     3  pass by pass over a few rows (this file)                  21.4 us   1.73
//
// masked_softmax, N=512, S=512
//     plain: a branch for each key, expf                         3657.5 us   1.00
//     1  no branch for a mask, one division a row                4651.7 us   0.79
//     2  lab_max, lab_exp, lab_sum, LAB_WIDE                     1209.1 us   3.02
//     3  pass by pass over a few rows (this file)                1239.0 us   2.95
// END MEASURED

#include "03_causal_mask/causal.h"

#include <math.h>

#include "02_batching/batching.h"
#include "fast/common/vector_math.h"

lab_status causal_mask(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[t * S + s] = s + T <= t + S; // s <= t + (S - T)
        }
    }
    return LAB_OK;
}

lab_status masked_fill(float *out, const float *scores, const uint8_t *mask, size_t N,
                       size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N * S; i++) {
        out[i] = mask[i] ? scores[i] : -INFINITY;
    }
    return LAB_OK;
}

// A few rows, one pass after another, in loops that the compiler can run on 4 to 16
// numbers at a time. (Lab 2 does the same for rows without a mask.)
LAB_WIDE
static void masked_softmax_rows(float *restrict weights, const float *restrict scores,
                                const uint8_t *restrict mask, size_t N, size_t S)
{
    // pass 1: a forbidden score becomes -infinity, below every allowed one
    for (size_t i = 0; i < N * S; i++) {
        weights[i] = mask[i] != 0 ? scores[i] : -INFINITY;
    }
    for (size_t n = 0; n < N; n++) {
        float *weights_n = weights + n * S;
        const float max = lab_max(weights_n, S);
        // no allowed key: avoid -inf - -inf
        const float shift = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] -= shift;
        }
    }

    // pass 2: exponentials, exactly 0 for forbidden keys
    for (size_t i = 0; i < N * S; i++) {
        weights[i] = lab_exp(weights[i]);
    }

    // pass 3: each row sums to 1; a row without an allowed key is zeros already
    for (size_t n = 0; n < N; n++) {
        float *weights_n = weights + n * S;
        const float sum = lab_sum(weights_n, S);
        const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] *= scale;
        }
    }
}

lab_status masked_softmax(float *weights, const float *scores, const uint8_t *mask,
                          size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    const size_t rows = lab_rows_at_once(S);
    for (size_t n = 0; n < N; n += rows) {
        masked_softmax_rows(weights + n * S, scores + n * S, mask + n * S,
                            rows < N - n ? rows : N - n, S);
    }
    return LAB_OK;
}

lab_status causal_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, uint8_t *mask, const float *x,
                            const float *w_q, const float *w_k, const float *w_v,
                            size_t B, size_t T, size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    LAB_TRY(causal_mask(mask, T, T));
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));
    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));

    const float scale = 1.0f / sqrtf((float)C);
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] *= scale;
    }

    // each sequence has its own scores; all share one mask
    for (size_t b = 0; b < B; b++) {
        LAB_TRY(masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T));
    }
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;
}

lab_status padding_mask(uint8_t *mask, const size_t *lengths, size_t B, size_t S)
{
    if (B == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] > S) {
            return LAB_ESHAPE;
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 0; s < S; s++) {
            mask[b * S + s] = s < lengths[b];
        }
    }
    return LAB_OK;
}

lab_status combine_masks(uint8_t *mask, const uint8_t *attention, const uint8_t *padding,
                         size_t B, size_t T, size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
            }
        }
    }
    return LAB_OK;
}
