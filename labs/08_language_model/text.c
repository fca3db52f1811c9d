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
    // TODO 8.1: mark which of the 256 bytes occur; then list them in ascending order
    // (about 12 lines)
    return lab_todo(bytes, V, text, N);
}

lab_status encode(size_t *tokens, const uint8_t *text, const uint8_t *bytes, size_t N,
                  size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.1: a table with the token of every byte, V for an unknown one; look up every
    // byte of the text before you write the first token (about 17 lines)
    return lab_todo(tokens, text, bytes, N, V);
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
    // TODO 8.1: look up the byte of every token (about 4 lines)
    return lab_todo(text, tokens, bytes, N, V);
}

// ---- 8.2  batches -------------------------------------------------------------------------

lab_status shifted_batch(size_t *x, size_t *y, const size_t *stream,
                         const size_t *offsets, size_t N, size_t B, size_t T)
{
    if (N == 0 || B == 0 || T == 0 || N <= T) {
        return LAB_ESHAPE;
    }
    // TODO 8.2: first check every offset; then copy T tokens from each offset, and T
    // tokens from one position later (about 13 lines)
    return lab_todo(x, y, stream, offsets, N, B, T);
}
