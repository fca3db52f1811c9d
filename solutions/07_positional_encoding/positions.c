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
    // BEGIN SOLUTION 7.1 sinusoidal_encoding: for each pair of channels its frequency; for each
    // position the sine and cosine of one angle; an odd C ends with a sine (about 11 lines)
    for (size_t c = 0; c < C; c += 2) { // c is the 2i of the formula
        const double frequency = pow(10000.0, -(double)c / (double)C);
        for (size_t t = 0; t < T; t++) {
            const double angle = (double)t * frequency;
            table[t * C + c] = (float)sin(angle);
            if (c + 1 < C) {
                table[t * C + c + 1] = (float)cos(angle);
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 7.1
}

lab_status add_positions(float *out, const float *x, const float *table, size_t B,
                         size_t T, size_t C, size_t T_max)
{
    if (B == 0 || T == 0 || C == 0 || T > T_max) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 7.2 add_positions: add row t of the table to token t of every sequence
    // (about 9 lines)
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                const size_t i = (b * T + t) * C + c;
                out[i] = x[i] + table[t * C + c];
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 7.2
}

lab_status rope(float *out, const float *x, const size_t *positions, size_t B, size_t NH,
                size_t T, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 7.3 rope: one angle for each position and pair, the same in every sequence
    // and head; rotate the pair by it (about 14 lines)
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < hs; c += 2) { // c is the 2i of the formula
            const double frequency = pow(10000.0, -(double)c / (double)hs);
            const double angle = (double)positions[t] * frequency;
            const float cosine = (float)cos(angle), sine = (float)sin(angle);
            for (size_t n = 0; n < B * NH; n++) { // head h of sequence b: n = b * NH + h
                const size_t i = (n * T + t) * hs + c;
                const float first = x[i], second = x[i + 1];
                out[i] = first * cosine - second * sine;
                out[i + 1] = first * sine + second * cosine;
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 7.3
}

lab_status alibi_bias(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 7.4 alibi_bias: minus the slope of each head, times the distance from the
    // query back to the key; a distance can be negative, a size_t cannot (about 11 lines)
    for (size_t h = 0; h < NH; h++) {
        const double slope = exp2(-8.0 * (double)(h + 1) / (double)NH);
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                const double distance = (double)(t + S) - (double)(s + T);
                bias[(h * T + t) * S + s] =
                    distance > 0.0 ? (float)(-slope * distance) : 0.0f;
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 7.4
}

lab_status attention_without_projections(float *out, float *weights, float *scores,
                                         const float *x, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 7.5 attention_without_projections: three functions of lab 1, each call in
    // LAB_TRY (about 3 lines)
    LAB_TRY(attention_scores(scores, x, x, T, T, C));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, x, T, T, C);
    // END SOLUTION 7.5
}
