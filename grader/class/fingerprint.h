// fingerprint.h - fingerprints that show which parts two source files share.
//
// Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: local algorithms for document
// fingerprinting", SIGMOD 2003). The text is split into tokens: comments and layout are
// dropped, and all names chosen by the student become the same token, as do all numbers.
// Each run of FINGERPRINT_RUN tokens is hashed; of every FINGERPRINT_WINDOW neighboring
// hashes the smallest is kept. Two files that share FINGERPRINT_RUN + FINGERPRINT_WINDOW -
// 1 tokens in a row then share a fingerprint.
//
// It does not find the same idea in different code, and it cannot know whether two people
// wrote the same code because there is only one obvious way.

#ifndef GRADER_FINGERPRINT_H
#define GRADER_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "class/tokens.h"

enum { FINGERPRINT_RUN = 16, FINGERPRINT_WINDOW = 8 };

// A growing set of fingerprints. {0} is empty; freed by fingerprints_free.
struct fingerprints {
    uint32_t *values;
    size_t count, room;
    size_t tokens; // in the text
};

// Adds the fingerprints of a text (any bytes). whole: keep every hash instead of the
// smallest in each window; used for skeletons, whose code must be recognized wherever it
// appears.
void fingerprints_add(struct fingerprints *prints, const char *text, size_t size,
                      int whole);

// Sorts the set, removes duplicates, and removes everything in known (which must be
// sorted).
void fingerprints_finish(struct fingerprints *prints, const struct fingerprints *known);
void fingerprints_free(struct fingerprints *prints);

// The hash of every run of tokens; count is how many. Caller frees.
uint32_t *fingerprints_of_runs(const struct tokens *tokens, size_t *count);

// Adds one value; the set must be finished afterwards.
void fingerprints_keep(struct fingerprints *prints, uint32_t value);

// The following are about finished sets. Removes everything in known.
void fingerprints_drop(struct fingerprints *prints, const struct fingerprints *known);
bool fingerprints_have(const struct fingerprints *set, uint32_t value);
// How many values are in both.
size_t fingerprints_common(const struct fingerprints *a, const struct fingerprints *b);

#endif
