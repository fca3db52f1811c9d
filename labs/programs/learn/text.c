// text.c - see text.h.

#define _GNU_SOURCE

#include "programs/learn/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *or_die(void *memory)
{
    if (memory == NULL) {
        fputs("learn: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

char *print(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    return or_die(text);
}

struct lines lines_of(char *text)
{
    struct lines lines = {.text = text};
    size_t room = 0;
    for (char *line = text; line != NULL && *line != '\0';) {
        if (lines.count == room) {
            room = room == 0 ? 64 : 2 * room;
            lines.line = or_die(realloc(lines.line, room * sizeof *lines.line));
        }
        lines.line[lines.count++] = line;
        line = strchr(line, '\n');
        if (line != NULL) {
            *line++ = '\0';
        }
    }
    return lines;
}

char *text_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (file == NULL) {
        return NULL;
    }
    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

struct lines lines_read(const char *path)
{
    return lines_of(text_read(path));
}

void lines_free(struct lines *lines)
{
    free(lines->text);
    free(lines->line);
    *lines = (struct lines){0};
}

bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool names_exercise(const char *text, const char *id)
{
    const size_t length = strlen(id);
    for (const char *at = text; (at = strstr(at, id)) != NULL; at++) {
        const bool begins =
            at == text || (!isdigit((unsigned char)at[-1]) && at[-1] != '.');
        const char *after = at + length;
        const bool ends = !isdigit((unsigned char)after[0]) &&
                          !(after[0] == '.' && isdigit((unsigned char)after[1]));
        if (begins && ends) {
            return true;
        }
    }
    return false;
}
