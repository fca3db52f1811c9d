// flash_attention.h - the contract of lab 10: attention that never stores its weights.
//
// Lab 4's attention writes T x S scores to memory, reads them for the softmax, writes T x S
// weights, and reads those for the product with v. At T = S = 16384, scores and weights take a
// gigabyte each for every head, and moving them costs more time than computing them. This lab cuts
// queries and keys into tiles. It combines softmaxes over tiles into a softmax over all keys, so
// only one tile of scores exists at a time.
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs, workspaces,
// inputs, sizes. Buffers belong to the caller and never overlap, and no function allocates memory.
// Every function returns LAB_ESHAPE if a size is 0, and then leaves its outputs unchanged.
//
//   B  sequences     NH, hs  heads and their width     T  queries     S  keys
//   Br, Bc  queries and keys of a tile; the last tile may have fewer
//   P  parts of the keys     N  rows
//
// The causal rule is that of lab 3: query t sees key s if s <= t + S - T, so the last query sees
// every key. If T > S, the first T - S queries see no key.
// Files to edit, in this order: partial.c, flash.c, backward.c, decode.c, traffic.c.

#ifndef LAB_10_FLASH_ATTENTION_H
#define LAB_10_FLASH_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

// ---- partial.c ----------------------------------------------------------------------------

// 10.1  The partial result of some queries over some keys: a softmax before its division. For each
//       query: its largest score, the sum of its exponentials, and the sum of the values,
//       weighted by the exponentials.
//
//   scores[r][c] = q[r] k[c] / sqrt(hs), for the keys that query r sees: c <= r + diagonal
//   max[r]       = max over c of scores[r][c]
//   sum[r]       = sum over c of exp(scores[r][c] - max[r])
//   weighted[r]  = sum over c of exp(scores[r][c] - max[r]) v[c]
//
//   max, sum (M), weighted (M, hs) written
//   scores (M, N): workspace, written
//   q (M, hs), k, v (N, hs) read
//   diagonal: may be negative; with N or more, every query sees every key
//
// A query that sees no key has max -INFINITY, sum 0 and weighted 0. Rows of k and v that no query
// sees may hold anything, NaN included.
// Source: Dao et al., FlashAttention (2022), arXiv:2205.14135, section 3.1.
// Example: partial_attention(max, sum, weighted, scores, q, k, v, Br, Bc, hs, (ptrdiff_t)Bc);
LAB_CHECKED lab_status partial_attention(float *max, float *sum, float *weighted,
                                         float *scores, const float *q, const float *k,
                                         const float *v, size_t M, size_t N, size_t hs,
                                         ptrdiff_t diagonal);

// 10.1  Merges the partial results of the same queries over two sets of keys. The result is what
//       partial_attention would give over both sets.
//
//   m           = max(max[n], max_b[n])
//   sum[n]      = exp(max[n] - m) sum[n] + exp(max_b[n] - m) sum_b[n]
//   weighted[n] = exp(max[n] - m) weighted[n] + exp(max_b[n] - m) weighted_b[n]
//   max[n]      = m
//
//   max, sum (N), weighted (N, hs) read and written
//   max_b, sum_b (N), weighted_b (N, hs) read
// A part without keys (max -INFINITY, sum 0, weighted 0) changes nothing, and two of them merge into one.
// Source: Milakov and Gimelshein, Online normalizer calculation for softmax (2018),
// arXiv:1805.02867, section 3.1.
// Example: online_softmax_merge(max, sum, weighted, max_b, sum_b, weighted_b, Br, hs);
LAB_CHECKED lab_status online_softmax_merge(float *max, float *sum, float *weighted,
                                            const float *max_b, const float *sum_b,
                                            const float *weighted_b, size_t N, size_t hs);

// ---- flash.c ------------------------------------------------------------------------------

// The workspaces of 10.2 and 10.3. Their size does not depend on T or S.
struct flash_buffers {
    float *scores;                              // (Br, Bc)
    float *max, *sum, *weighted;                // (Br), (Br), (Br, hs): the keys so far
    float *tile_max, *tile_sum, *tile_weighted; // the same of one tile
};

// 10.2  Lab 4's scaled_dot_product_attention without its weights. For each tile of queries: starts
//       with a part without keys, merges the part of every tile of keys, and divides at the end.
//
//   out[b][h][t]       = sum over s of weights[b][h][t][s] v[b][h][s]
//   logsumexp[b][h][t] = log of the sum over s of exp(q[b][h][t] k[b][h][s] / sqrt(hs))
//                      = max + log(sum) of the part of all keys
//
//   out (B, NH, T, hs), logsumexp (B, NH, T) written    z: written, as workspaces
//   q (B, NH, T, hs), k, v (B, NH, S, hs) read
//   causal: true for the causal rule; if false, every query sees every key
//
// A query that sees no key gets out 0 and logsumexp -INFINITY. Tiles that are entirely in the
// future may be visited or skipped.
// Source: Dao, FlashAttention-2 (2023), arXiv:2307.08691, algorithm 1.
// Example: flash_attention(out, logsumexp, &z, q, k, v, true, B, NH, T, T, hs, 64, 64);
LAB_CHECKED lab_status flash_attention(float *out, float *logsumexp,
                                       const struct flash_buffers *z, const float *q,
                                       const float *k, const float *v, bool causal,
                                       size_t B, size_t NH, size_t T, size_t S, size_t hs,
                                       size_t Br, size_t Bc);

// 10.3  flash_attention with causal = true, but skips every tile in which no query sees a key.
//
//   visited (1) written: how many tiles of scores were computed, over all sequences and heads
//   the others as in flash_attention
//
// Example: flash_attention_causal(out, logsumexp, &visited, &z, q, k, v, B, NH, T, T, hs, 64, 64);
LAB_CHECKED lab_status flash_attention_causal(
    float *out, float *logsumexp, size_t *visited, const struct flash_buffers *z,
    const float *q, const float *k, const float *v, size_t B, size_t NH, size_t T,
    size_t S, size_t hs, size_t Br, size_t Bc);

// ---- backward.c ---------------------------------------------------------------------------

// The workspaces of 10.4.
struct flash_backward_buffers {
    float *delta;             // (T)
    float *weights, *dscores; // (Br, Bc)
};

// 10.4  Back through flash_attention. The weights were never stored, so each tile of them is
//       computed again from q, k and logsumexp.
//
//   delta[t]       = dout[t] out[t]                          (a dot product over hs)
//   weights[t][s]  = exp(q[t] k[s] / sqrt(hs) - logsumexp[t]), or 0 if t does not see s
//   dscores[t][s]  = weights[t][s] (dout[t] v[s] - delta[t])
//   dq[t] = sum over s of dscores[t][s] k[s] / sqrt(hs)
//   dk[s] = sum over t of dscores[t][s] q[t] / sqrt(hs)
//   dv[s] = sum over t of weights[t][s] dout[t]              (all for each b and h)
//
//   dq (B, NH, T, hs), dk, dv (B, NH, S, hs) written    z: written, as workspaces
//   dout, out, q (B, NH, T, hs), logsumexp (B, NH, T), k, v (B, NH, S, hs) read
//   causal: as in the forward pass
// A query that saw no key (logsumexp -INFINITY) gets gradient 0 and adds nothing to dk and dv.
// Source: Dao, FlashAttention-2 (2023), algorithm 2.
// Example: flash_attention_backward(dq, dk, dv, &z, dout, out, logsumexp, q, k, v, true, B, NH, T,
//                                   T, hs, 64, 64);
LAB_CHECKED lab_status flash_attention_backward(
    float *dq, float *dk, float *dv, const struct flash_backward_buffers *z,
    const float *dout, const float *out, const float *logsumexp, const float *q,
    const float *k, const float *v, bool causal, size_t B, size_t NH, size_t T, size_t S,
    size_t hs, size_t Br, size_t Bc);

// ---- decode.c -----------------------------------------------------------------------------

// 10.5  Combines the attention of N queries, each over P sets of keys. Each part is finished:
//       it is divided by its own sum, and has the logsumexp of its scores.
//
//   logsumexp[n] = log of the sum over p of exp(part_logsumexp[n][p])
//   out[n]       = sum over p of exp(part_logsumexp[n][p] - logsumexp[n]) part_out[n][p]
//
//   out (N, hs), logsumexp (N) written
//   part_out (N, P, hs), part_logsumexp (N, P) read
//
// A part without keys has logsumexp -INFINITY and may have anything in part_out, NaN included. If
// all parts of a query are like this, out is 0 and logsumexp is -INFINITY.
// Source: Dao et al., Flash-Decoding for long-context inference (2023).
// Example: combine_partials(out, logsumexp, part_out, part_logsumexp, B * NH, P, hs);
LAB_CHECKED lab_status combine_partials(float *out, float *logsumexp,
                                        const float *part_out,
                                        const float *part_logsumexp, size_t N, size_t P,
                                        size_t hs);

// 10.5  Lab 9's attention_decode without its weights, in parts that could run at the same time:
//       keys p chunk ... (p + 1) chunk - 1 of each cache make part p. P = T_max / chunk, rounded up.
//
//   out (B, NH, hs), logsumexp (B, NH) written
//   part_out (B, NH, P, hs), part_logsumexp (B, NH, P) written: each part as described in
//   combine_partials; a part without keys gets out 0
//   scores (chunk): workspace, written
//   q (B, NH, hs), keys, values (B, NH, T_max, hs), lengths (B) read
//
// Rows of keys and values from lengths[b] on may hold anything, NaN included. LAB_ESHAPE also if
// a length is 0 or above T_max.
// Example: flash_decode(out, logsumexp, part_out, part_logsumexp, scores, q, keys, values, lengths,
//                       B, NH, T_max, hs, 256);
LAB_CHECKED lab_status flash_decode(float *out, float *logsumexp, float *part_out,
                                    float *part_logsumexp, float *scores, const float *q,
                                    const float *keys, const float *values,
                                    const size_t *lengths, size_t B, size_t NH,
                                    size_t T_max, size_t hs, size_t chunk);

// ---- traffic.c ----------------------------------------------------------------------------

// The functions of 10.6 are judged only with sizes and results below 2^63, and with fewer than 2^32
// tiles. A float has 4 bytes.

// 10.6  The sizes of the tiles for a fast memory of M bytes: four blocks of Br rows of hs floats (of
//       q, k, v and out) fill it.
//
//   Br = M / (16 hs), rounded up
//   Bc = min(Br, hs)
//
//   Br, Bc (1) written
// Source: FlashAttention (2022), algorithm 1, line 1. Its outer loop is over the keys; here it is
// over the queries, so Br and Bc are swapped.
// Example: flash_tile_sizes(&Br, &Bc, 102400, 64);    Br is 100, Bc is 64
LAB_CHECKED lab_status flash_tile_sizes(size_t *Br, size_t *Bc, size_t M, size_t hs);

// 10.6  The bytes that one head's attention moves between the large slow memory and a fast memory of
//       M bytes, without a mask.
//
//   standard: three steps, each reads its inputs and writes its result
//             scores = q k^T      weights = softmax(scores)      out = weights v
//   tiled:    reads q once; k and v once for each of the T / Br (rounded up) tiles of queries, with
//             Br from flash_tile_sizes; writes out and logsumexp once
//
//   standard, tiled (1) written
//
// Source: FlashAttention (2022), theorem 2: T S + T hs against T S hs^2 / M, up to a factor.
// Example: memory_traffic(&standard, &tiled, 1024, 1024, 64, 102400);
LAB_CHECKED lab_status memory_traffic(size_t *standard, size_t *tiled, size_t T, size_t S,
                                      size_t hs, size_t M);

#endif
