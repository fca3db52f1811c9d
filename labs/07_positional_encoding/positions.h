// positions.h - the contract of lab 7: the position of a token in the sequence.
// Attention treats its tokens as a set. This lab has three kinds of positional encoding, and an
// attention that shows the difference they make:
//
//   absolute   a row for each position, added to the tokens     7.1, 7.2
//   rotary     queries and keys rotated by their position       7.3
//   linear     scores lowered with the distance                 7.4
//   bare       attention without projections                    7.5
//
// Every tensor is row-major, last index fastest. Arguments come in the order outputs, inputs,
// sizes. Buffers belong to the caller and never overlap, and no function allocates memory.
// Every function returns LAB_ESHAPE if a size is 0. A function that rejects its arguments leaves
// its outputs unchanged; if a function that it calls fails, they may be partly written.
//
//   B  sequences    T  query length    S  key length    C  model width    NH  heads
//   hs head width   T_max  rows of a table of positions
//
// Angles are in radians. The angle of position 100000 has six digits before the decimal point,
// and a float holds only about seven digits. So compute angles in double, then round their sine
// and cosine.
//
// Start reading at sinusoidal_encoding; positions.c is the file to edit.

#ifndef LAB_07_POSITIONS_H
#define LAB_07_POSITIONS_H

#include <stddef.h>

#include "common/status.h"

// 7.1  A row of sines and cosines for each of the positions 0 ... T-1. The channels form pairs,
//      and each pair turns more slowly than the one before it. If C is odd, the last channel is
//      a sine without a cosine.
//
//   table[t][2i]     = sin(t / 10000^(2i/C))
//   table[t][2i + 1] = cos(t / 10000^(2i/C))
//
//   table (T, C) written
//
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.5.
// Example: sinusoidal_encoding(table, T_max, C);    row 0 is 0 1 0 1 0 1 ...
LAB_CHECKED lab_status sinusoidal_encoding(float *table, size_t T, size_t C);

// 7.2  Adds row t of the table to token t of every sequence. The table may be the one of 7.1 or
//      a learned one. Also returns LAB_ESHAPE if T > T_max, because the last tokens have no row.
//
//   out[b][t][c] = x[b][t][c] + table[t][c]
//
//   out (B, T, C) written    x (B, T, C) read    table (T_max, C) read, its first T rows
//
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.5.
// Example: add_positions(out, x, table, B, T, C, T_max);
LAB_CHECKED lab_status add_positions(float *out, const float *x, const float *table,
                                     size_t B, size_t T, size_t C, size_t T_max);

// 7.3  Rotary encoding: rotates the pair of channels (2i, 2i+1) of the token at position p
//      counter-clockwise by the angle p * 10000^(-2i/hs). Used for queries and keys, not for
//      values. Also returns LAB_ESHAPE if hs is odd.
//
//   angle        = positions[t] * 10000^(-2i/hs)
//   out[2i]      = x[2i] * cos(angle) - x[2i + 1] * sin(angle)
//   out[2i + 1]  = x[2i] * sin(angle) + x[2i + 1] * cos(angle)
//
//   out (B, NH, T, hs) written    x (B, NH, T, hs) read
//   positions (T) read: the position of each token, the same for every sequence and head; any
//   numbers in any order, with gaps or repeats (judged up to 131071)
//
// The pairs are neighbors (interleaved), as in the paper and in the code of LLaMA; many
// libraries pair channel i with i + hs/2 instead.
// Source: Su et al., RoFormer (2021), arXiv:2104.09864, equations 14, 15 and 34.
// Example: positions is {0, 1, 2}; rope(q_turned, q, positions, B, NH, 3, hs);
LAB_CHECKED lab_status rope(float *out, const float *x, const size_t *positions, size_t B,
                            size_t NH, size_t T, size_t hs);

// 7.4  The bias that each head adds to its scores before the softmax: minus its slope times the
//      distance from the query back to the key. Queries and keys are aligned at the end, as in
//      causal_mask of lab 3. A later key has bias 0, because the mask forbids it. (The paper's
//      code uses other slopes if NH is not a power of two.)
//
//   slope[h]      = 2^(-8 (h + 1) / NH)
//   distance      = t + (S - T) - s
//   bias[h][t][s] = -slope[h] * distance when distance > 0, else 0
//
//   bias (NH, T, S) written, in natural-log units like the scores it is added to
//
// Source: Press, Smith and Lewis, Train Short, Test Long (2021), arXiv:2108.12409, section 3.
// Example: alibi_bias(bias, 2, 3, 3);    head 0 is 0 0 0 / -0.0625 0 0 / -0.125 -0.0625 0
LAB_CHECKED lab_status alibi_bias(float *bias, size_t NH, size_t T, size_t S);

// 7.5  Attention in which every token is its own query, key and value.
//
//   weights = softmax(x x^T / sqrt(C))    out = weights x
//
//   out (T, C) written    weights (T, T) written: row = query, column = key
//   scores (T, T): workspace, written    x (T, C) read
//
// If a function of lab 1 fails, returns its status.
// Source: Vaswani et al., Attention Is All You Need (2017), equation 1 with Q = K = V.
// Example: attention_without_projections(out, weights, scores, x, T, C);
LAB_CHECKED lab_status attention_without_projections(float *out, float *weights,
                                                     float *scores, const float *x,
                                                     size_t T, size_t C);

#endif
