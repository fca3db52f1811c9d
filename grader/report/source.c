// source.c - see source.h.

#define _GNU_SOURCE
#include "report/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { LARGEST = 1 << 20, TAB = 8 };

char *source_read(const char *path)
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

const char *source_line(const char *text, size_t line, size_t *size)
{
    for (; line > 1 && *text != '\0'; line--) {
        text = strchrnul(text, '\n');
        text += *text == '\n';
    }
    *size = strcspn(text, "\r\n");
    return text;
}

size_t source_byte(const char *text, size_t size, size_t column)
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

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Does the line begin a definition, "lab_status matmul(float *out, ..."? A declaration ends with a semicolon.
static bool defines(const char *text, size_t size, const char *name, size_t length)
{
    if (size == 0 || !in_word(text[0]) || text[size - 1] == ';') {
        return false;
    }
    for (size_t at = 1; at + length < size; at++) {
        if (memcmp(text + at, name, length) == 0 && text[at + length] == '(' &&
            !in_word(text[at - 1])) {
            return true;
        }
    }
    return false;
}

size_t source_function(const char *path, const char *name, size_t length)
{
    char *text = length > 0 ? source_read(path) : NULL;
    size_t found = 0, line = 1;
    for (const char *at = text; at != NULL && *at != '\0' && found == 0; line++) {
        const size_t size = strcspn(at, "\r\n");
        found = defines(at, size, name, length) ? line : 0;
        at = strchrnul(at, '\n');
        at += *at == '\n';
    }
    free(text);
    return found;
}

// What programs that set text, and web pages, write in place of the characters of C.
static const struct {
    const char *bytes, *instead;
    const char *name; // of one that cannot be seen
} strays[] = {
    {"“", "\"", NULL},
    {"”", "\"", NULL},
    {"„", "\"", NULL},
    {"‘", "'", NULL},
    {"’", "'", NULL},
    {"−", "-", NULL},
    {"–", "-", NULL},
    {"—", "-", NULL},
    {"×", "*", NULL},
    {"·", "*", NULL},
    {"≤", "<=", NULL},
    {"≥", ">=", NULL},
    {"≠", "!=", NULL},
    {"√", "sqrtf", NULL},
    {"\xc2\xa0", "a blank", "a no-break space"},
    {"\xe2\x80\xaf", "a blank", "a narrow no-break space"},
    {"\xe2\x80\x8b", "nothing", "a zero-width space"},
};

char *source_stray(const char *path, size_t line, size_t column)
{
    char *text = source_read(path), *words = NULL;
    if (text == NULL) {
        return NULL;
    }
    size_t size;
    const char *start = source_line(text, line, &size);
    const size_t at = source_byte(start, size, column);
    for (size_t i = 0; i < sizeof strays / sizeof *strays && words == NULL; i++) {
        const char *bytes = strays[i].bytes, *name = strays[i].name;
        if (at + strlen(bytes) <= size && memcmp(start + at, bytes, strlen(bytes)) == 0) {
            words = grader_print("%s is not a character of C: write %s",
                                 name != NULL ? name : bytes, strays[i].instead);
        }
    }
    free(text);
    return words;
}
