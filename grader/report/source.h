// source.h - reads the student's file at the places that the compiler names.

#ifndef GRADER_SOURCE_H
#define GRADER_SOURCE_H

#include <stddef.h>

// The whole file, or NULL. A hand-in may have a pipe or a link there. The caller frees it.
char *source_read(const char *path);

// The line's text in the file, without its end: *size bytes.
const char *source_line(const char *text, size_t line, size_t *size);

// The byte at a column of a line, which the compiler counts on the screen.
size_t source_byte(const char *text, size_t size, size_t column);

// The line where a function of this name, of length bytes, is defined; 0 if none is.
size_t source_function(const char *path, const char *name, size_t length);

// What is wrong with the character at this place, such as a quotation mark of a text processor, or NULL if it
// is an ordinary one. The caller frees it.
char *source_stray(const char *path, size_t line, size_t column);

#endif
