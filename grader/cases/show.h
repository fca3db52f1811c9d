// show.h - prints tensors side by side.

#ifndef GRADER_SHOW_H
#define GRADER_SHOW_H

#include <stdio.h>

#include "cases/compare.h"

// "scores[1][2]" for element 5 of a (2,3) tensor.
void show_element(FILE *file, const struct tensor *tensor, size_t index);

// " = 1.5, expected 2" for one element.
void show_got_and_expected(FILE *file, const struct tensor *tensor, size_t index);

// Prints a text in lines of at most 92 columns, or fewer on a narrow terminal: the first after
// prefix, the others indented by two. Keeps line breaks in the text.
void show_wrapped(FILE *file, const char *prefix, const char *text);

// Prints the inputs of the call. If they would fill more than INPUT_LINES lines, it chooses those that
// fit: first the function's own arguments, whole numbers before floats, then the fields of structures
// (params.w_q). The last lines name or count the others, and give `all`, the command that shows them.
// If all is NULL, every number is printed, except those of tensors with more than MOST_NUMBERS.
enum { INPUT_LINES = 14, MOST_NUMBERS = 65536 };
void show_inputs(FILE *file, const struct test_case *test, const char *all);

// Prints the expected and the student's values side by side, names the first difference and
// marks all differing values: first the tensor of the difference, then one more wrong
// output if there is one.
void show_difference(FILE *file, const struct test_case *test,
                     const struct difference *difference);

// An output that says whether a claim holds is named by it: "out.data == in.data". Returns the length of
// its subject, "out.data", and of another output the length of its name.
size_t claim_subject(const struct tensor *tensor);

#endif
