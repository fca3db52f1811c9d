// sizes.h - the sizes of a case: drawn from its description, found by name, printed.

#ifndef GRADER_SIZES_H
#define GRADER_SIZES_H

#include "cases/case.h"

enum { SIZE_NOT_FOUND = -1 };

// Copies the next blank-separated word of *text to word. Returns false if there is none.
bool size_word(const char **text, char word[64]);

// The place of a size in dim[], or SIZE_NOT_FOUND.
int size_index(const struct part *part, const char *name);

// Draws all sizes of a case from a description such as "T=3 C=2..6".
void sizes_draw(struct test_case *test, const char *spec, struct lab_rng *rng);

// Notes which sizes the function gets too large: "M", or "B T". NULL: none.
void sizes_beyond(struct test_case *test, const char *names);

// Size i as the function gets it.
size_t size_sent(const struct test_case *test, size_t i);

// One word of a shape: "T", "4", "3C", or "C/NH", rounded up. Changes the word.
size_t axis_size(const struct test_case *test, char *word);

// Writes "T=2 S=3 d=4" to a buffer.
void case_describe(const struct test_case *test, char *buffer, size_t size);

#endif
