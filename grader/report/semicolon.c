// semicolon.c - see semicolon.h. Reads the student's file backwards from the compiler's place,
// because the compiler names the statement after the gap if a macro ends before it.

#define _GNU_SOURCE
#include "report/semicolon.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/source.h"

static bool is_blank(const char *text, size_t size)
{
    return strspn(text, " \t") >= size;
}

// The size of a line's code: without the comment and the blanks at its end. *inside: it ends in a
// comment that began in a line above.
static size_t code_size(const char *text, size_t size, bool *inside)
{
    const char *line_comment = memmem(text, size, "//", 2);
    size = line_comment != NULL ? (size_t)(line_comment - text) : size;
    for (bool again = true; again;) {
        while (size > 0 && strchr(" \t", text[size - 1]) != NULL) {
            size--;
        }
        again = *inside || (size > 1 && memcmp(text + size - 2, "*/", 2) == 0);
        if (again) {
            const char *open = NULL, *at = text;
            while ((at = memmem(at, size - (size_t)(at - text), "/*", 2)) != NULL) {
                open = at++;
            }
            *inside = open == NULL;
            size = open != NULL ? (size_t)(open - text) : 0;
            again = open != NULL;
        }
    }
    return size;
}

// The last line above that has code, if a ';' can be missing at its end; or 0.
static size_t last_code_above(const char *text, size_t line)
{
    bool inside = false;
    while (--line > 0) {
        size_t size;
        const char *start = source_line(text, line, &size);
        size = code_size(start, size, &inside);
        if (is_blank(start, size) || start[strspn(start, " \t")] == '#') {
            continue;
        }
        return strchr("{};,", start[size - 1]) == NULL ? line : 0;
    }
    return 0;
}

static bool is_one_word(const char *text, size_t size)
{
    bool is = size > 0;
    for (size_t i = 0; is && i < size; i++) {
        is = isalnum((unsigned char)text[i]) || text[i] == '_';
    }
    return is;
}

bool semicolon_is_behind_word(const char *path, size_t line)
{
    char *text = source_read(path);
    if (text == NULL) {
        return false;
    }
    size_t size;
    bool inside = false;
    const char *start = source_line(text, line, &size);
    const size_t code = code_size(start, size, &inside), blanks = strspn(start, " \t");
    const bool is = code > blanks && is_one_word(start + blanks, code - blanks);
    free(text);
    return is;
}

size_t semicolon_line(const char *path, size_t line, size_t column)
{
    char *text = column > 0 ? source_read(path) : NULL;
    if (text == NULL) {
        return 0;
    }
    size_t size, found = 0;
    bool inside = false;
    const char *start = source_line(text, line, &size);
    const size_t at = source_byte(start, size, column);
    if (is_blank(start, at)) {
        found = last_code_above(text, line);
    } else if (code_size(start, size, &inside) <= at) {
        found = line;
    }
    free(text);
    return found;
}
