// pieces.c - words become tokens: BERT takes the longest piece, GPT-2 merges pairs.
//
//   tiredness ──> tired | ness ──> "tired" "##ness"            from the left, longest first
//   l o w e r ──> lo w e r ──> low e r ──> low er              lowest rank first
//
// Start reading at wordpiece.

#include "11_reading_attention/reading.h"

#include <stdbool.h>
#include <string.h>

// ---- 11.2  the longest piece --------------------------------------------------------------

lab_status wordpiece(size_t *ids, size_t *count, const uint8_t *word,
                     const struct lab_pieces *pieces, size_t unknown, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.2: at each place, try the ends from the last to the first; continue after
    // the piece that is found (about 25 lines)
    return lab_todo(ids, count, word, pieces, unknown, N);
}

// ---- 11.3  pairs --------------------------------------------------------------------------

lab_status byte_pair_merge(size_t *tokens, size_t *count, const struct lab_merges *merges,
                           size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.3: find the lowest rank of all neighbors, merge this pair everywhere, and
    // repeat (about 25 lines)
    return lab_todo(tokens, count, merges, N);
}
