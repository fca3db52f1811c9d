// causal.h - the contract of lab 3: who may look at whom.

#ifndef LAB_03_CAUSAL_H
#define LAB_03_CAUSAL_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

// 3.1  mask(T,S): 1 where query t may attend to key s, else 0. Aligned at the end: query t
//      sees key s exactly when s <= t + (S - T), so the last query sees every key. For
//      T > S the first T - S queries see nothing.
LAB_CHECKED lab_status causal_mask(uint8_t *mask, size_t T, size_t S);

// 3.2  out(N,S): scores(N,S) where mask(N,S) is 1, -INFINITY where it is 0.
LAB_CHECKED lab_status masked_fill(float *out, const float *scores, const uint8_t *mask,
                                   size_t N, size_t S);

// 3.3  weights(N,S): softmax of each row of scores(N,S) over the keys that mask(N,S) allows;
//      forbidden keys get exactly 0, and a row without an allowed key is zeros throughout.
LAB_CHECKED lab_status masked_softmax(float *weights, const float *scores,
                                      const uint8_t *mask, size_t N, size_t S);

// 3.4  Batched attention under a causal mask: out(B,T,C), weights(B,T,T); workspaces
//      q, k, v (B,T,C), scores(B,T,T), mask(T,T); x(B,T,C), w_q, w_k, w_v (C,C).
LAB_CHECKED lab_status causal_attention(float *out, float *weights, float *q, float *k,
                                        float *v, float *scores, uint8_t *mask,
                                        const float *x, const float *w_q, const float *w_k,
                                        const float *w_v, size_t B, size_t T, size_t C);

// 3.5  mask(B,S): 1 for the first lengths[b] keys of sequence b, else 0.
//      LAB_ESHAPE when some lengths[b] > S.
LAB_CHECKED lab_status padding_mask(uint8_t *mask, const size_t *lengths, size_t B,
                                    size_t S);

// 3.5  mask(B,T,S): 1 where both attention(T,S) and padding(B,S) allow it.
LAB_CHECKED lab_status combine_masks(uint8_t *mask, const uint8_t *attention,
                                     const uint8_t *padding, size_t B, size_t T, size_t S);

#endif
