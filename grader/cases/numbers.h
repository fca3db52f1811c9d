// numbers.h - the numbers of a tensor as text, in columns. For show.c and inputs.c.

#ifndef GRADER_NUMBERS_H
#define GRADER_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cases/compare.h"

// A part of one matrix of a tensor.
struct window {
    size_t base; // index of the matrix's first element
    size_t row, rows, column, columns;
};

// The common format of a window's numbers, wide enough for the longest.
struct style {
    const char *format; // for floats
    int width;
};

// Prints different floats differently.
extern const char exact_format[];

// The columns of a line: 92, or less on a narrow terminal.
size_t show_width(void);

// One value as text; "unwritten" if it was never written.
void name_value(char text[32], const struct tensor *tensor, const void *values,
                size_t index, const char *format);

// True if the student's element is wrong.
bool element_differs(const struct tensor *tensor, size_t i);

// Chooses a format for values and others (which may be NULL), shown side by side.
struct style choose_style(const struct tensor *tensor, const struct window *window,
                          const void *values, const void *others);

// Prints a value, as wide as the style says.
void show_value(FILE *file, const struct tensor *tensor, const void *values, size_t index,
                const struct style *style);

#endif
