// distance.h - how far two words are from each other, to suggest one for the other.

#ifndef GRADER_DISTANCE_H
#define GRADER_DISTANCE_H

#include <stddef.h>

enum { DISTANCE_LONGEST = 64 }; // characters of a word

// How many characters are inserted, left out, replaced, or exchanged with the next one, from the first n
// characters at a to the first m at b. DISTANCE_LONGEST if one is longer than that.
size_t distance_between(const char *a, size_t n, const char *b, size_t m);

// What counts as near for a word of this length: one character, or two in a long word.
size_t distance_near(size_t length);

#endif
