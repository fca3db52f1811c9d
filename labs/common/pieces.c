// pieces.c - see pieces.h. Both tables hash with open addressing: a slot holds an index, and a
// search goes on to the next slot until it finds its key or an empty slot. At most half of the
// slots are in use, so it always ends.

#include "common/pieces.h"

#include <stdlib.h>
#include <string.h>

// The two constants of FNV-1a with 64 bits.
static const uint64_t HASH_START = 0xcbf29ce484222325, HASH_FACTOR = 0x100000001b3;
static const size_t EMPTY = SIZE_MAX;

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ byte[i]) * HASH_FACTOR;
    }
    return hash;
}

// Allocates empty slots for count keys; NULL if there is no memory.
static size_t *empty_slots(size_t *slot_count, size_t count)
{
    *slot_count = 16;
    while (*slot_count / 2 < count) {
        if (*slot_count > SIZE_MAX / sizeof(size_t) / 2) {
            return NULL;
        }
        *slot_count *= 2;
    }
    size_t *slots = malloc(*slot_count * sizeof *slots);
    for (size_t i = 0; slots != NULL && i < *slot_count; i++) {
        slots[i] = EMPTY;
    }
    return slots;
}

// ---- pieces -------------------------------------------------------------------------------

static const uint8_t *piece(const struct lab_pieces *pieces, size_t v, size_t *length)
{
    const size_t start = v == 0 ? 0 : pieces->ends[v - 1];
    *length = pieces->ends[v] - start;
    return pieces->text + start;
}

// The slot of this piece, or the empty slot where it belongs.
static size_t *piece_slot(const struct lab_pieces *pieces, const char *prefix,
                          const uint8_t *text, size_t N)
{
    const size_t before = strlen(prefix);
    const uint64_t hash = hash_bytes(hash_bytes(HASH_START, prefix, before), text, N);
    for (size_t i = hash % pieces->slot_count;; i = (i + 1) % pieces->slot_count) {
        size_t *slot = &pieces->slots[i], length = 0;
        if (*slot == EMPTY) {
            return slot;
        }
        const uint8_t *found = piece(pieces, *slot, &length);
        if (length == before + N && memcmp(found, prefix, before) == 0 &&
            memcmp(found + before, text, N) == 0) {
            return slot;
        }
    }
}

lab_status lab_pieces_open(struct lab_pieces *pieces, const uint8_t *text,
                           const size_t *ends, size_t V)
{
    *pieces = (struct lab_pieces){.text = text, .ends = ends, .V = V};
    for (size_t v = 1; v < V; v++) {
        if (ends[v] < ends[v - 1]) {
            return LAB_EVALUE;
        }
    }
    pieces->slots = empty_slots(&pieces->slot_count, V);
    if (pieces->slots == NULL) {
        return LAB_ENOMEM;
    }
    for (size_t v = 0; v < V; v++) {
        size_t length = 0;
        const uint8_t *bytes = piece(pieces, v, &length);
        *piece_slot(pieces, "", bytes, length) = v;
    }
    return LAB_OK;
}

void lab_pieces_close(struct lab_pieces *pieces)
{
    free(pieces->slots);
    *pieces = (struct lab_pieces){0};
}

size_t lab_piece_find(const struct lab_pieces *pieces, const char *prefix,
                      const uint8_t *text, size_t N)
{
    const size_t *slot = piece_slot(pieces, prefix, text, N);
    return *slot == EMPTY ? pieces->V : *slot;
}

// ---- merges -------------------------------------------------------------------------------

// The slot of this pair, or the empty slot where it belongs.
static size_t *merge_slot(const struct lab_merges *merges, size_t left, size_t right)
{
    const size_t pair[] = {left, right};
    const uint64_t hash = hash_bytes(HASH_START, pair, sizeof pair);
    for (size_t i = hash % merges->slot_count;; i = (i + 1) % merges->slot_count) {
        size_t *slot = &merges->slots[i];
        if (*slot == EMPTY ||
            (merges->left[*slot] == left && merges->right[*slot] == right)) {
            return slot;
        }
    }
}

lab_status lab_merges_open(struct lab_merges *merges, const size_t *left,
                           const size_t *right, const size_t *merged, size_t M)
{
    *merges = (struct lab_merges){.left = left, .right = right, .merged = merged, .M = M};
    merges->slots = empty_slots(&merges->slot_count, M);
    if (merges->slots == NULL) {
        return LAB_ENOMEM;
    }
    for (size_t m = 0; m < M; m++) {
        size_t *slot = merge_slot(merges, left[m], right[m]);
        *slot = *slot == EMPTY ? m : *slot;
    }
    return LAB_OK;
}

void lab_merges_close(struct lab_merges *merges)
{
    free(merges->slots);
    *merges = (struct lab_merges){0};
}

size_t lab_merge_rank(const struct lab_merges *merges, size_t left, size_t right)
{
    const size_t *slot = merge_slot(merges, left, right);
    return *slot == EMPTY ? merges->M : *slot;
}
