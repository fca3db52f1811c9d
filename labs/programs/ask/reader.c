// reader.c - what read.c and check.c both need.

#define _GNU_SOURCE // POSIX functions

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/ask/reader.h"

bool reader_fail(struct reader *r, size_t line, const char *format, ...)
{
    va_list arguments;
    const int n = snprintf(r->q->error, sizeof r->q->error, "%s:%zu: ", r->file, line);
    if (n > 0 && (size_t)n < sizeof r->q->error) {
        va_start(arguments, format);
        vsnprintf(r->q->error + n, sizeof r->q->error - (size_t)n, format, arguments);
        va_end(arguments);
    }
    return false;
}

void *or_die(void *memory)
{
    if (memory == NULL) {
        fputs("ask: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

char *copied(const char *text)
{
    return or_die(strdup(text));
}

char *trimmed(char *text)
{
    size_t n;
    text += strspn(text, " \t");
    for (n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL; n--) {
        text[n - 1] = '\0';
    }
    return text;
}
