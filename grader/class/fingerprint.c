// fingerprint.c - see fingerprint.h. First the tokens, then the hashes, then the set.

#include "class/fingerprint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// ---- hashes -------------------------------------------------------------------------------

void fingerprints_keep(struct fingerprints *prints, uint32_t value)
{
    if (prints->count == prints->room) {
        prints->room = prints->room > 0 ? 2 * prints->room : 256;
        prints->values =
            grader_resize(prints->values, prints->room * sizeof *prints->values);
    }
    prints->values[prints->count++] = value;
}

// FNV-1a over a run of tokens.
static uint32_t hash_run(const struct token *tokens)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < FINGERPRINT_RUN; i++) {
        hash = (hash ^ (uint64_t)tokens[i].kind) * 1099511628211u;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

uint32_t *fingerprints_of_runs(const struct tokens *tokens, size_t *count)
{
    *count = tokens->count >= FINGERPRINT_RUN ? tokens->count - FINGERPRINT_RUN + 1 : 0;
    uint32_t *hashes = grader_alloc((*count + 1) * sizeof *hashes);
    for (size_t i = 0; i < *count; i++) {
        hashes[i] = hash_run(tokens->list + i);
    }
    return hashes;
}

static void winnow(struct fingerprints *prints, const uint32_t *hashes, size_t count)
{
    size_t kept = SIZE_MAX; // position of the last one kept
    for (size_t start = 0; start + FINGERPRINT_WINDOW <= count; start++) {
        size_t least = start;
        for (size_t i = start; i < start + FINGERPRINT_WINDOW; i++) {
            least = hashes[i] <= hashes[least] ? i : least; // the rightmost of equals
        }
        if (least != kept) {
            kept = least;
            fingerprints_keep(prints, hashes[least]);
        }
    }
}

void fingerprints_add(struct fingerprints *prints, const char *text, size_t size,
                      int whole)
{
    struct tokens tokens = tokens_read(text, size);
    prints->tokens += tokens.count;
    size_t runs;
    uint32_t *hashes = fingerprints_of_runs(&tokens, &runs);
    for (size_t i = 0; whole && i < runs; i++) {
        fingerprints_keep(prints, hashes[i]);
    }
    if (!whole) {
        winnow(prints, hashes, runs);
    }
    free(hashes);
    tokens_free(&tokens);
}

// ---- the set ------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool fingerprints_have(const struct fingerprints *set, uint32_t value)
{
    return set->count > 0 &&
           bsearch(&value, set->values, set->count, sizeof value, by_value) != NULL;
}

void fingerprints_drop(struct fingerprints *prints, const struct fingerprints *known)
{
    size_t kept = 0;
    for (size_t i = 0; i < prints->count; i++) {
        if (!fingerprints_have(known, prints->values[i])) {
            prints->values[kept++] = prints->values[i];
        }
    }
    prints->count = kept;
}

size_t fingerprints_common(const struct fingerprints *a, const struct fingerprints *b)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a->count && j < b->count) {
        common += a->values[i] == b->values[j];
        uint32_t x = a->values[i], y = b->values[j];
        i += x <= y;
        j += y <= x;
    }
    return common;
}

void fingerprints_finish(struct fingerprints *prints, const struct fingerprints *known)
{
    size_t kept = 0;
    if (prints->count > 0) {
        qsort(prints->values, prints->count, sizeof *prints->values, by_value);
    }
    for (size_t i = 0; i < prints->count; i++) {
        if (kept == 0 || prints->values[kept - 1] != prints->values[i]) {
            prints->values[kept++] = prints->values[i];
        }
    }
    prints->count = kept;
    if (known != NULL) {
        fingerprints_drop(prints, known);
    }
}

void fingerprints_free(struct fingerprints *prints)
{
    free(prints->values);
    *prints = (struct fingerprints){NULL, 0, 0, 0};
}
