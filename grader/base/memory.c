// memory.c - allocation that never returns NULL, and text that grows.

#define _GNU_SOURCE
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/exit_code.h"

void grader_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("grade: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_GRADER);
}

void *grader_alloc(size_t n)
{
    void *memory = calloc(n == 0 ? 1 : n, 1);
    if (memory == NULL) {
        grader_fail("out of memory (%zu bytes)", n);
    }
    return memory;
}

void *grader_resize(void *memory, size_t n)
{
    void *resized = realloc(memory, n == 0 ? 1 : n);
    if (resized == NULL) {
        grader_fail("out of memory (%zu bytes)", n);
    }
    return resized;
}

char *grader_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *string = NULL;
    int length = vasprintf(&string, format, arguments);
    va_end(arguments);
    if (length < 0) {
        grader_fail("out of memory");
    }
    return string;
}

void text_begin(struct text *text)
{
    text->string = NULL;
    text->file = open_memstream(&text->string, &text->size);
    if (text->file == NULL) {
        grader_fail("out of memory");
    }
}

char *text_end(struct text *text)
{
    if (fclose(text->file) != 0) {
        grader_fail("out of memory");
    }
    text->file = NULL;
    return text->string;
}
