// semicolon.h - where a semicolon is missing.

#ifndef GRADER_SEMICOLON_H
#define GRADER_SEMICOLON_H

#include <stdbool.h>
#include <stddef.h>

// The compiler misses a ';' at this line and column of a file, which may be where the next
// statement begins. Returns the line at whose end it belongs, or 0 if it belongs within a line.
size_t semicolon_line(const char *path, size_t line, size_t column);

// Is the line a single word, such as a misspelled "else"? Then no ; belongs behind it.
bool semicolon_is_behind_word(const char *path, size_t line);

#endif
