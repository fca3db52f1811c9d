// passages.h - which parts of two hand-ins say the same in other words.
//
// A passage is two statements that follow each other in a function, in their normal form
// (statements.h), in either order. Its hash goes into a set of fingerprints.

#ifndef GRADER_PASSAGES_H
#define GRADER_PASSAGES_H

#include "class/fingerprint.h"
#include "class/statements.h"

// Adds the passages of a text (any bytes).
void passages_add(struct fingerprints *set, const char *text, size_t size);

// The hash of the passage that begins with this statement; false if none does.
bool passage_at(const struct statements *statements, size_t place, uint32_t *hash);

#endif
