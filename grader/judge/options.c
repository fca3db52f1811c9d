// options.c - see options.h.

#define _GNU_SOURCE

#include "judge/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

// Is id among the words of list?
static bool names(const char *list, const char *id)
{
    const size_t length = strlen(id);
    for (const char *at = list; (at = strstr(at, id)) != NULL; at += length) {
        const bool begins = at == list || at[-1] == ' ';
        if (begins && (at[length] == '\0' || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

bool options_choose(const struct options *options, int lab, const char *exercise)
{
    if (options->exercise != NULL) {
        return names(options->exercise, exercise);
    }
    return options->lab == 0 || options->lab == lab;
}

// Whether the folder is labs, which make takes without SRC: also as ./labs or by its whole path.
static bool is_labs(const char *source)
{
    struct stat one, labs;
    return strcmp(source, "labs") == 0 ||
           (stat(source, &one) == 0 && stat("labs", &labs) == 0 &&
            one.st_dev == labs.st_dev && one.st_ino == labs.st_ino);
}

char *options_make_source(const struct options *options)
{
    const char *source = options->source;
    size_t size = strlen(source);
    while (size > 1 && source[size - 1] == '/') {
        size--;
    }
    const bool usual = is_labs(source);
    const bool plain =
        strspn(source, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_.+-/") == strlen(source);
    return usual || !plain || options->strangers
               ? grader_print("%s", "")
               : grader_print(" SRC=%.*s", (int)size, source);
}
