// causal.c - attention that cannot see the future.
//
// A mask says which query may look at which key.
//
//   x (B,T,C) ─> q, k, v ─> scores (B,T,T) ──> masked_softmax ─> weights ─> out (B,T,C)
//                                                   ^
//                              causal_mask (T,T) ───┘
//
// causal.h describes each function's arguments and result. Start reading at causal_mask.

#include "03_causal_mask/causal.h"

#include <math.h>

#include "02_batching/batching.h"

lab_status causal_mask(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.1 causal_mask: one comparison per query and key; S - T can be
    // negative but a size_t cannot, so move T to the other side (about 6 lines)
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[t * S + s] = s + T <= t + S; // s <= t + (S - T)
        }
    }
    return LAB_OK;
    // END SOLUTION 3.1
}

lab_status masked_fill(float *out, const float *scores, const uint8_t *mask, size_t N,
                       size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.2 masked_fill: the score if it is allowed, else -INFINITY (about 4
    // lines)
    for (size_t i = 0; i < N * S; i++) {
        out[i] = mask[i] ? scores[i] : -INFINITY;
    }
    return LAB_OK;
    // END SOLUTION 3.2
}

lab_status masked_softmax(float *weights, const float *scores, const uint8_t *mask,
                          size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.3 masked_softmax: for each row: the largest allowed score, the
    // exponentials and their sum, the division; skip forbidden keys in all three (about
    // 25 lines)
    for (size_t n = 0; n < N; n++) {
        const float *scores_n = scores + n * S;
        const uint8_t *mask_n = mask + n * S;
        float *weights_n = weights + n * S;

        float max = -INFINITY; // the maximum of no keys
        for (size_t s = 0; s < S; s++) {
            if (mask_n[s]) {
                max = fmaxf(max, scores_n[s]);
            }
        }
        if (max == -INFINITY) { // no allowed key: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_n[s] = 0.0f;
            }
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights_n[s] = mask_n[s] ? expf(scores_n[s] - max) : 0.0f;
            sum += weights_n[s]; // at least exp(0) = 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_n[s] /= sum;
        }
    }
    return LAB_OK;
    // END SOLUTION 3.3
}

lab_status causal_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, uint8_t *mask, const float *x,
                            const float *w_q, const float *w_k, const float *w_v,
                            size_t B, size_t T, size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.4 causal_attention: make the mask, then do as in 2.5, but with
    // masked_softmax, one sequence at a time; each call in a LAB_TRY (about 13 lines)
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));

    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }

    // each sequence has its own scores; all share one mask
    LAB_TRY(causal_mask(mask, T, T));
    for (size_t b = 0; b < B; b++) {
        LAB_TRY(masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T));
    }
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;
    // END SOLUTION 3.4
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
    // BEGIN SOLUTION 3.5 padding_mask: the first lengths[b] keys of row b (about 6 lines)
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 0; s < S; s++) {
            mask[b * S + s] = s < lengths[b];
        }
    }
    return LAB_OK;
    // END SOLUTION 3.5
}

lab_status combine_masks(uint8_t *mask, const uint8_t *attention, const uint8_t *padding,
                         size_t B, size_t T, size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.5 combine_masks: both must allow the key (about 8 lines)
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 3.5
}
