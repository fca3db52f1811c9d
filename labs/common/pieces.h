// pieces.h - the tables of a tokenizer: pieces of words, and pairs that are merged.
//
// Both are looked up in constant time, through a hash table. Lab 11 builds its tokenizers
// on them.

#ifndef LAB_PIECES_H
#define LAB_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

// The pieces of a vocabulary. The index of a piece is its token.
struct lab_pieces {
    const uint8_t *text; // all pieces, one after the other
    const size_t *ends;  // (V): piece v is text[ends[v - 1]] ... text[ends[v] - 1]
    size_t V;
    size_t *slots; // the hash table
    size_t slot_count;
};

// Keeps pointers to text and ends, so both must stay valid. Of equal pieces, the last counts, as in
// Python's dictionaries. LAB_ENOMEM if there is no memory, LAB_EVALUE if ends descend.
LAB_CHECKED lab_status lab_pieces_open(struct lab_pieces *pieces, const uint8_t *text,
                                       const size_t *ends, size_t V);
void lab_pieces_close(struct lab_pieces *pieces);

// The token of the piece that is prefix followed by text(N); V if there is none. prefix is a C
// string, "" for none.
// Example: lab_piece_find(pieces, "##", word + start, end - start)
size_t lab_piece_find(const struct lab_pieces *pieces, const char *prefix,
                      const uint8_t *text, size_t N);

// Pairs of tokens that become one. The index of a pair is its rank: 0 is merged first.
struct lab_merges {
    const size_t *left, *right; // (M)
    const size_t *merged;       // (M): the token that left and right become
    size_t M;
    size_t *slots;
    size_t slot_count;
};

// Keeps pointers to the three arrays, so they must stay valid. Of equal pairs, the first counts.
LAB_CHECKED lab_status lab_merges_open(struct lab_merges *merges, const size_t *left,
                                       const size_t *right, const size_t *merged,
                                       size_t M);
void lab_merges_close(struct lab_merges *merges);

// The rank of a pair; M if it is never merged.
size_t lab_merge_rank(const struct lab_merges *merges, size_t left, size_t right);

#endif
