// knowledge.h - does a file know a solution?
//
// It looks for the lines between the markers of solutions/ and solutions/fast, for pieces of 32
// bytes of their compiled code, for the names of their static functions, and for a word that a
// test has put into a file of expected numbers. It ignores everything that is also in the
// skeletons, the headers or the given library. Run from the workbook's folder, after make
// programs.

#ifndef TESTS_KNOWLEDGE_H
#define TESTS_KNOWLEDGE_H

#include <stddef.h>

#define EXPECTED_NUMBERS "the-expected-numbers-of-a-hand-out-7391"

// Reads the solutions; skeletons is a tree of the handed-out files. Returns the number of
// pieces, or 0 if a source is missing.
size_t knowledge_load(const char *skeletons);

// Also ignores everything in these files (a glob pattern).
void knowledge_forgive(const char *pattern);

// A piece of a solution that the file contains; NULL if there is none or no such file. An
// unchanged file is read only once.
const char *knowledge_in(const char *path);

#endif
