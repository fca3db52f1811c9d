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

// BEGIN SOLUTION 11.2 helper
static size_t count_characters(const uint8_t *text, size_t N)
{
    size_t count = 0;
    for (size_t n = 0; n < N; n++) {
        count += (text[n] & 0xc0) != 0x80;
    }
    return count;
}

// The end of the longest piece that begins at start, and its token; start if there is none.
static size_t longest_piece(size_t *id, const uint8_t *word,
                            const struct lab_pieces *pieces, size_t start, size_t N)
{
    for (size_t end = N; end > start; end--) {
        *id = lab_piece_find(pieces, start == 0 ? "" : "##", word + start, end - start);
        if (*id != pieces->V) {
            return end;
        }
    }
    return start;
}
// END SOLUTION 11.2

lab_status wordpiece(size_t *ids, size_t *count, const uint8_t *word,
                     const struct lab_pieces *pieces, size_t unknown, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.2 wordpiece: at each place, try the ends from the last to the first; continue
    // after the piece that is found (about 25 lines)
    bool known = count_characters(word, N) <= WORDPIECE_LONGEST;
    size_t found = 0;
    for (size_t start = 0; known && start < N;) {
        const size_t end = longest_piece(&ids[found], word, pieces, start, N);
        known = end > start;
        start = end;
        found++;
    }
    if (!known) {
        ids[0] = unknown;
        found = 1;
    }
    *count = found;
    return LAB_OK;
    // END SOLUTION 11.2
}

// ---- 11.3  pairs --------------------------------------------------------------------------

// BEGIN SOLUTION 11.3 helper
// The lowest rank of the pairs of neighbors; merges->M if none is in the table.
static size_t lowest_rank(const size_t *tokens, const struct lab_merges *merges, size_t N)
{
    size_t lowest = merges->M;
    for (size_t n = 1; n < N; n++) {
        const size_t rank = lab_merge_rank(merges, tokens[n - 1], tokens[n]);
        lowest = rank < lowest ? rank : lowest;
    }
    return lowest;
}

// Merges this pair everywhere, from the left. Returns the new number of tokens.
static size_t merge_everywhere(size_t *tokens, const struct lab_merges *merges,
                               size_t rank, size_t N)
{
    size_t kept = 0;
    for (size_t n = 0; n < N; n++) {
        const bool here = n + 1 < N && tokens[n] == merges->left[rank] &&
                          tokens[n + 1] == merges->right[rank];
        tokens[kept++] = here ? merges->merged[rank] : tokens[n];
        n += here; // the right token is used up
    }
    return kept;
}
// END SOLUTION 11.3

lab_status byte_pair_merge(size_t *tokens, size_t *count, const struct lab_merges *merges,
                           size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.3 byte_pair_merge: find the lowest rank of all neighbors, merge this pair
    // everywhere, and repeat (about 25 lines)
    size_t kept = N, rank = 0;
    while ((rank = lowest_rank(tokens, merges, kept)) < merges->M) {
        kept = merge_everywhere(tokens, merges, rank, kept);
    }
    *count = kept;
    return LAB_OK;
    // END SOLUTION 11.3
}
