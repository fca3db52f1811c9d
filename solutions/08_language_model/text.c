// text.c - from characters to tokens and back, and batches of a long text.
//
//   text (N bytes) ── encode ──> stream (N) ── shifted_batch ──> x (B,T)   o n c e _ u
//                  <─ decode ──                                  y (B,T)   n c e _ u p
//
// A vocabulary is the bytes of a text in ascending order. Its tokens are 0, 1, 2, ... without gaps.
//
// Start reading at vocabulary.

#include "08_language_model/language_model.h"

#include <stdbool.h>

#include "common/tokens.h"

// ---- 8.1  characters and tokens -----------------------------------------------------------

lab_status vocabulary(uint8_t *bytes, size_t *V, const uint8_t *text, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.1 vocabulary: mark which of the 256 bytes occur; then list them in ascending
    // order (about 12 lines)
    bool occurs[256] = {false};
    for (size_t n = 0; n < N; n++) {
        occurs[text[n]] = true;
    }
    size_t count = 0;
    for (size_t byte = 0; byte < 256; byte++) {
        if (occurs[byte]) {
            bytes[count++] = (uint8_t)byte;
        }
    }
    *V = count;
    return LAB_OK;
    // END SOLUTION 8.1
}

lab_status encode(size_t *tokens, const uint8_t *text, const uint8_t *bytes, size_t N,
                  size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.1 encode: a table with the token of every byte, V for an unknown one; look
    // up every byte of the text before you write the first token (about 17 lines)
    size_t token_of[256];
    for (size_t byte = 0; byte < 256; byte++) {
        token_of[byte] = V;
    }
    for (size_t token = 0; token < V; token++) {
        token_of[bytes[token]] = token;
    }
    for (size_t n = 0; n < N; n++) {
        if (token_of[text[n]] == V) {
            return LAB_EVALUE;
        }
    }
    for (size_t n = 0; n < N; n++) {
        tokens[n] = token_of[text[n]];
    }
    return LAB_OK;
    // END SOLUTION 8.1
}

lab_status decode(uint8_t *text, const size_t *tokens, const uint8_t *bytes, size_t N,
                  size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 8.1 decode: look up the byte of every token (about 4 lines)
    for (size_t n = 0; n < N; n++) {
        text[n] = bytes[tokens[n]];
    }
    return LAB_OK;
    // END SOLUTION 8.1
}

// ---- 8.2  batches -------------------------------------------------------------------------

lab_status shifted_batch(size_t *x, size_t *y, const size_t *stream,
                         const size_t *offsets, size_t N, size_t B, size_t T)
{
    if (N == 0 || B == 0 || T == 0 || N <= T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 8.2 shifted_batch: first check every offset; then copy T tokens from each offset,
    // and T tokens from one position later (about 13 lines)
    for (size_t b = 0; b < B; b++) {
        if (offsets[b] > N - T - 1) {
            return LAB_EVALUE;
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            x[b * T + t] = stream[offsets[b] + t];
            y[b * T + t] = stream[offsets[b] + t + 1];
        }
    }
    return LAB_OK;
    // END SOLUTION 8.2
}
