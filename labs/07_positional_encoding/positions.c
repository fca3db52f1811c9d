// positions.c - four ways to encode the position of a token, and a bare attention.
//
//   x (B,T,C) ── add_positions ──> q, k ── rope ──> q k^T / sqrt(hs) + alibi_bias ──> softmax
//                     ^
//      sinusoidal_encoding, or a learned table
//
// A model uses one of add_positions, rope and alibi_bias. Angles are in double: see positions.h.
//
// Start reading at sinusoidal_encoding.

#include "07_positional_encoding/positions.h"

#include <math.h>

#include "01_simple_attention/attention.h"

lab_status sinusoidal_encoding(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.1: for each pair of channels its frequency; for each position the sine and
    // cosine of one angle; an odd C ends with a sine (about 11 lines)
    return lab_todo(table, T, C);
}

lab_status add_positions(float *out, const float *x, const float *table, size_t B,
                         size_t T, size_t C, size_t T_max)
{
    if (B == 0 || T == 0 || C == 0 || T > T_max) {
        return LAB_ESHAPE;
    }
    // TODO 7.2: add row t of the table to token t of every sequence (about 9 lines)
    return lab_todo(out, x, table, B, T, C, T_max);
}

lab_status rope(float *out, const float *x, const size_t *positions, size_t B, size_t NH,
                size_t T, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.3: one angle for each position and pair, the same in every sequence and
    // head; rotate the pair by it (about 14 lines)
    return lab_todo(out, x, positions, B, NH, T, hs);
}

lab_status alibi_bias(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.4: minus the slope of each head, times the distance from the query back to
    // the key; a distance can be negative, a size_t cannot (about 11 lines)
    return lab_todo(bias, NH, T, S);
}

lab_status attention_without_projections(float *out, float *weights, float *scores,
                                         const float *x, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 7.5: three functions of lab 1, each call in LAB_TRY (about 3 lines)
    return lab_todo(out, weights, scores, x, T, C);
}
