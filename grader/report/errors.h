// errors.h - the errors of a file that does not compile, each led by the student's own line.

#ifndef GRADER_ERRORS_H
#define GRADER_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cases/tables.h"

// A part of the compiler's output, without its last newline.
struct span {
    const char *start;
    size_t size;
};

bool span_holds(struct span span, const char *words);

// "attention.c: In function 'linear':", which precedes a function's first warning or error. A
// warning may speak of a function, too.
bool span_names_function(struct span line);

// What a lab's compiler said, and the folder of the student's code, "labs".
struct complaint {
    const char *source;
    const struct lab_place *place;
    const char *text;
    bool warnings; // write them, too
};

// Writes the compiler's output, without its warnings and the lines that belong to them unless they are
// asked for. Returns the number of warnings left out.
size_t errors_write(FILE *file, const struct complaint *complaint);

// Writes one warning, the lines of text, which begin with its own.
void errors_write_one(FILE *file, struct span text, const struct complaint *complaint);

// The student's line to look at first, "labs/01_simple_attention/attention.c:68", or NULL. The
// caller frees it.
char *errors_first(const struct complaint *complaint);

#endif
