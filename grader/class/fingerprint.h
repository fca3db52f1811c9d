// fingerprint.h - what of a source file can be found again in another one.
//
// Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: local algorithms for document
// fingerprinting", SIGMOD 2003). The text becomes tokens: comments and layout vanish, every
// name of the student's is the same token, every number too. Each run of FINGERPRINT_RUN
// tokens is hashed; of every FINGERPRINT_WINDOW neighbouring hashes the smallest is kept. Two
// files that share FINGERPRINT_RUN + FINGERPRINT_WINDOW - 1 tokens in a row then share a
// fingerprint.
//
// What it does not see: the same idea in other words. What it cannot know: whether two people
// wrote the same because there is one obvious way.

#ifndef GRADER_FINGERPRINT_H
#define GRADER_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_RUN = 16, FINGERPRINT_WINDOW = 8 };

// A growing set of fingerprints. {0} is empty; freed by fingerprints_free.
struct fingerprints {
    uint32_t *values;
    size_t count, room;
    size_t tokens; // of the text
};

// Adds the fingerprints of a text (any bytes). whole: every hash is kept, not the smallest of a
// window, as for a skeleton, whose runs shall be known wherever they lie.
void fingerprints_add(struct fingerprints *prints, const char *text, size_t size,
                      int whole);

// Sorts, drops doubles, and drops what is in known (which was sorted so before).
void fingerprints_finish(struct fingerprints *prints, const struct fingerprints *known);
void fingerprints_free(struct fingerprints *prints);

#endif
