// pattern.c - see pattern.h.

#include "base/pattern.h"

#include <string.h>

#include "base/memory.h"

char *pattern_of(const char *path)
{
    char *pattern = grader_alloc(2 * strlen(path) + 1), *end = pattern;
    for (; *path != '\0'; path++) {
        if (strchr("\\*?[]{},~", *path) != NULL) {
            *end++ = '\\';
        }
        *end++ = *path;
    }
    return pattern;
}
