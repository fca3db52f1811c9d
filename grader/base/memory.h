// memory.h - allocation for the grader, which exits if it runs out of memory.
//
// Without memory the grader cannot give a mark, and a missing mark must not look like a
// wrong answer. So it prints a message and exits with EXIT_GRADER (exit_code.h).

#ifndef GRADER_MEMORY_H
#define GRADER_MEMORY_H

#include <stddef.h>
#include <stdio.h>

// n zeroed bytes (at least one); never NULL.
void *grader_alloc(size_t n);

// realloc to n bytes; never NULL.
void *grader_resize(void *memory, size_t n);

// A printf into a new string; never NULL.
char *grader_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints "grade: " and the line to stderr and exits with EXIT_GRADER.
_Noreturn void grader_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A growing text: write with fprintf(text->file, ...); text_end() returns the string.
struct text {
    FILE *file;
    char *string;
    size_t size;
};
void text_begin(struct text *text);
char *text_end(struct text *text);

#endif
