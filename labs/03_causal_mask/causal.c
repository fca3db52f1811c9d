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
    // TODO 3.1: one comparison per query and key; S - T can be negative but a size_t
    // cannot, so move T to the other side (about 6 lines)
    return lab_todo(mask, T, S);
}

lab_status masked_fill(float *out, const float *scores, const uint8_t *mask, size_t N,
                       size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 3.2: the score if it is allowed, else -INFINITY (about 4 lines)
    return lab_todo(out, scores, mask, N, S);
}

lab_status masked_softmax(float *weights, const float *scores, const uint8_t *mask,
                          size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 3.3: for each row: the largest allowed score, the exponentials and their sum,
    // the division; skip forbidden keys in all three (about 25 lines)
    return lab_todo(weights, scores, mask, N, S);
}

lab_status causal_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, uint8_t *mask, const float *x,
                            const float *w_q, const float *w_k, const float *w_v,
                            size_t B, size_t T, size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 3.4: make the mask, then do as in 2.5, but with masked_softmax, one sequence
    // at a time; each call in a LAB_TRY (about 13 lines)
    return lab_todo(out, weights, q, k, v, scores, mask, x, w_q, w_k, w_v, B, T, C);
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
    // TODO 3.5: the first lengths[b] keys of row b (about 6 lines)
    return lab_todo(mask, lengths, B, S);
}

lab_status combine_masks(uint8_t *mask, const uint8_t *attention, const uint8_t *padding,
                         size_t B, size_t T, size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 3.5: both must allow the key (about 8 lines)
    return lab_todo(mask, attention, padding, B, T, S);
}
