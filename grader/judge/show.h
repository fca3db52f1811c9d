// show.h - tensors side by side, for a person.

#ifndef GRADER_SHOW_H
#define GRADER_SHOW_H

#include "judge/compare.h"
#include "judge/memory.h"

// "scores[1][2]" for element 5 of a (2,3) tensor.
void show_element(FILE *file, const struct tensor *tensor, size_t index);

// One value, in at most 11 characters.
void show_value(FILE *file, const struct tensor *tensor, const void *values,
                size_t index);

// A text in lines of at most 92 columns, the first after prefix, the others indented by two.
void show_wrapped(FILE *file, const char *prefix, const char *text);

// The inputs of a case when they are small, then expected and got next to each other, with
// the first differing place named and the differing values marked.
void show_difference(FILE *file, const struct test_case *test,
                     const struct difference *difference);

#endif
