// options.c - see options.h.

#include "judge/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *options_make_source(const struct options *options)
{
    const char *source = options->source;
    size_t size = strlen(source);
    while (size > 1 && source[size - 1] == '/') {
        size--;
    }
    const bool usual = size == 4 && strncmp(source, "labs", 4) == 0;
    const bool plain =
        strspn(source, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_.+-/") == strlen(source);
    return usual || !plain || options->strangers
               ? grader_print("%s", "")
               : grader_print(" SRC=%.*s", (int)size, source);
}
