// causal.h - the contract of lab 3: which query may see which key.
//
// A mask is uint8_t: 1 if the query may attend to the key, 0 if it may not. Every tensor
// is row-major, last index fastest: element (t, s) of a (T, S) matrix is a[t * S + s].
// Arguments come in the order outputs, inputs, sizes. Buffers belong to the caller and
// never overlap, and no function allocates memory. Every function returns LAB_ESHAPE if a
// size is 0. A function that rejects its arguments leaves its outputs unchanged; if a
// function that it calls fails, they may be partly written.
//
//   B  sequences in the batch    T  query length (rows)    S  key length (columns)
//   N  rows in general           C  model width
//
// Start reading at causal_mask; causal.c is the file to edit.

#ifndef LAB_03_CAUSAL_H
#define LAB_03_CAUSAL_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

// 3.1  Every query may see the keys up to its own position. Queries and keys are aligned at
//      the end, so the last query sees every key. If S > T, all queries see the first S - T
//      keys. If T > S, the first T - S queries see no key.
//
//   mask[t][s] = 1 when s <= t + (S - T), else 0
//
//   mask (T, S) written
//
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3; the alignment is
// that of PyTorch's causal_lower_right.
// Example: causal_mask(mask, 3, 3);    mask is 1 0 0 / 1 1 0 / 1 1 1
LAB_CHECKED lab_status causal_mask(uint8_t *mask, size_t T, size_t S);

// 3.2  Replaces the scores of forbidden keys by -INFINITY.
//
//   out[n][s] = scores[n][s] when mask[n][s] is 1, else -INFINITY
//
//   out (N, S) written    scores (N, S) read, in natural-log units    mask (N, S) read
//
// Source: torch.Tensor.masked_fill, whose mask is the opposite: it fills where true.
// Example: masked_fill(out, scores, mask, T, S);
LAB_CHECKED lab_status masked_fill(float *out, const float *scores, const uint8_t *mask,
                                   size_t N, size_t S);

// 3.3  Softmax of each row over the keys that its mask allows. A forbidden key gets weight
//      exactly 0, and its score makes no difference, however large it is. A row without an
//      allowed key becomes zeros (PyTorch gives NaN).
//
//   max           = largest scores[n][j] over the allowed j
//   weights[n][s] = exp(scores[n][s] - max) / sum over allowed j of exp(scores[n][j] - max)
//
//   weights (N, S) written    scores (N, S) read, in natural-log units    mask (N, S) read
//
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1 and section 3.2.3.
// Example: masked_softmax(weights, scores, mask, T, S);
LAB_CHECKED lab_status masked_softmax(float *weights, const float *scores,
                                      const uint8_t *mask, size_t N, size_t S);

// 3.4  Self-attention of every sequence with itself, in which no token sees a later one.
//      weights[b][t][s] is exactly 0 for s > t, so changing x[b][s] does not change out[b][t]
//      for any t < s, not even in the last bit. (If you mask after the softmax and
//      renormalize, rounding may change it.)
//
//   q = x w_q^T    k = x w_k^T    v = x w_v^T
//   weights[b] = masked softmax(q[b] k[b]^T / sqrt(C))    out[b] = weights[b] v[b]
//
//   out (B, T, C) written    weights (B, T, T) written: row = query, column = key
//   q, k, v (B, T, C), scores (B, T, T), mask (T, T): workspaces, written
//   x (B, T, C) read    w_q, w_k, w_v (C, C) read, each (out, in)
//
// Also returns what the functions of lab 2 return when they fail.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1 and section 3.2.3.
// Example: causal_attention(out, weights, q, k, v, scores, mask, x, w_q, w_k, w_v, B, T, C);
LAB_CHECKED lab_status causal_attention(float *out, float *weights, float *q, float *k,
                                        float *v, float *scores, uint8_t *mask,
                                        const float *x, const float *w_q,
                                        const float *w_k, const float *w_v, size_t B,
                                        size_t T, size_t C);

// 3.5  Marks the keys of each sequence that are tokens, not padding at the end. Also returns
//      LAB_ESHAPE if some lengths[b] > S.
//
//   mask[b][s] = 1 when s < lengths[b], else 0
//
//   mask (B, S) written    lengths (B) read, in tokens, each from 0 to S
//
// Source: torch.nn.MultiheadAttention's key_padding_mask, which is the opposite.
// Example: lengths is {2, 3}; padding_mask(mask, lengths, 2, 3);    mask is 1 1 0 / 1 1 1
LAB_CHECKED lab_status padding_mask(uint8_t *mask, const size_t *lengths, size_t B,
                                    size_t S);

// 3.5  One mask for each sequence: the query may see the key, and the key is not padding.
//
//   mask[b][t][s] = attention[t][s] and padding[b][s]
//
//   mask (B, T, S) written    attention (T, S) read, the same for every sequence
//   padding (B, S) read
//
// Source: torch.nn.MultiheadAttention's attn_mask together with its key_padding_mask.
// Example: combine_masks(mask, attention, padding, B, T, S);
LAB_CHECKED lab_status combine_masks(uint8_t *mask, const uint8_t *attention,
                                     const uint8_t *padding, size_t B, size_t T,
                                     size_t S);

#endif
