// show.h - tensors side by side, for a person.

#ifndef GRADER_SHOW_H
#define GRADER_SHOW_H

#include <stdio.h>

#include "cases/compare.h"

// "scores[1][2]" for element 5 of a (2,3) tensor.
void show_element(FILE *file, const struct tensor *tensor, size_t index);

// " = 1.5, expected 2" of one element.
void show_got_and_expected(FILE *file, const struct tensor *tensor, size_t index);

// A text in lines of at most 92 columns, the first after prefix, the others indented by two.
// Line ends in the text stay.
void show_wrapped(FILE *file, const char *prefix, const char *text);

// What the call starts from, each tensor whole when it is small and by its size otherwise.
void show_inputs(FILE *file, const struct test_case *test);

// Expected and got next to each other, with the first differing place named and the differing
// values marked; first the tensor of the difference, then one more wrong output if there is.
void show_difference(FILE *file, const struct test_case *test,
                     const struct difference *difference);

#endif
