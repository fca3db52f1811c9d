// semicolon.c - see semicolon.h. Reads the student's file backwards from the compiler's place,
// because the compiler names the statement after the gap if a macro ends before it.

#define _GNU_SOURCE
#include "report/semicolon.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { LARGEST = 1 << 20, TAB = 8 };

// The whole file, or NULL. A hand-in may have a pipe or a link there.
static char *read_source(const char *path)
{
    const int from = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat state;
    if (from < 0) {
        return NULL;
    }
    char *text = NULL;
    if (fstat(from, &state) == 0 && S_ISREG(state.st_mode) && state.st_size < LARGEST) {
        text = grader_alloc((size_t)state.st_size + 1);
        const ssize_t size = read(from, text, (size_t)state.st_size);
        text[size > 0 ? size : 0] = '\0';
    }
    close(from);
    return text;
}

// The line's text in the file, without its end: *size bytes.
static const char *find_line(const char *text, size_t line, size_t *size)
{
    for (; line > 1 && *text != '\0'; line--) {
        text = strchrnul(text, '\n');
        text += *text == '\n';
    }
    *size = strcspn(text, "\r\n");
    return text;
}

static bool is_blank(const char *text, size_t size)
{
    return strspn(text, " \t") >= size;
}

// The byte at a column, which the compiler counts on the screen.
static size_t byte_at(const char *text, size_t size, size_t column)
{
    size_t at = 0;
    for (size_t screen = 1; at < size && screen < column; at++) {
        const bool goes_on = ((unsigned char)text[at] & 0xC0) == 0x80;
        screen += text[at] == '\t' ? TAB - (screen - 1) % TAB : !goes_on;
    }
    while (at < size && ((unsigned char)text[at] & 0xC0) == 0x80) {
        at++;
    }
    return at;
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
        const char *start = find_line(text, line, &size);
        size = code_size(start, size, &inside);
        if (is_blank(start, size) || start[strspn(start, " \t")] == '#') {
            continue;
        }
        return strchr("{};,", start[size - 1]) == NULL ? line : 0;
    }
    return 0;
}

size_t semicolon_line(const char *path, size_t line, size_t column)
{
    char *text = column > 0 ? read_source(path) : NULL;
    if (text == NULL) {
        return 0;
    }
    size_t size, found = 0;
    bool inside = false;
    const char *start = find_line(text, line, &size);
    const size_t at = byte_at(start, size, column);
    if (is_blank(start, at)) {
        found = last_code_above(text, line);
    } else if (code_size(start, size, &inside) <= at) {
        found = line;
    }
    free(text);
    return found;
}
