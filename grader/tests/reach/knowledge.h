// knowledge.h - does a file know a solution?
//
// What is looked for: the lines between the markers of solutions/ and solutions/fast, their compiled
// code in pieces of 32 bytes, the names of their static functions, and the word that a test has put
// into a file of expected numbers. What skeletons, headers or the given library have as well is no
// knowledge. Run from the workbook's folder, after make programs.

#ifndef TESTS_KNOWLEDGE_H
#define TESTS_KNOWLEDGE_H

#include <stddef.h>

#define EXPECTED_NUMBERS "the-expected-numbers-of-a-hand-out-7391"

// Reads the solutions; skeletons is a tree of what is handed out. Returns how many pieces there are, 0
// when one of the sources is not there.
size_t knowledge_load(const char *skeletons);

// What a file holds of it; NULL for nothing, or where there is no such file. A file that has not
// changed is read once.
const char *knowledge_in(const char *path);

#endif
