// options.c - see options.h.

#define _GNU_SOURCE

#include "judge/options.h"

#include <ctype.h>
#include <stdio.h>
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
    if (options->lab != 0 || options->labs == 0) {
        return options->lab == 0 || options->lab == lab;
    }
    return (options->labs >> lab & 1) != 0;
}

// Whether the folder is labs, which make takes without SRC: also as ./labs or by its whole path.
static bool is_labs(const char *source)
{
    struct stat one, labs;
    return strcmp(source, "labs") == 0 ||
           (stat(source, &one) == 0 && stat("labs", &labs) == 0 &&
            one.st_dev == labs.st_dev && one.st_ino == labs.st_ino);
}

static bool needs_no_name(const struct options *options)
{
    return is_labs(options->source) || options->strangers;
}

// Is it one word to make and to the shell? Other characters than these may be letters of a name.
static bool is_plain(const char *source)
{
    const unsigned char *at = (const unsigned char *)source;
    while (*at >= 0x80 || isalnum(*at) ||
           (*at != '\0' && strchr("_.+-/@,", *at) != NULL)) {
        at++;
    }
    return *at == '\0';
}

char *options_make_source(const struct options *options)
{
    const char *source = options->source;
    size_t size = strlen(source);
    while (size > 1 && source[size - 1] == '/') {
        size--;
    }
    return needs_no_name(options) || !is_plain(source)
               ? grader_print("%s", "")
               : grader_print(" SRC=%.*s", (int)size, source);
}

bool options_fit_make(const struct options *options)
{
    return needs_no_name(options) || is_plain(options->source);
}

// A word of the shell: 'my code', 'o'\''hara'
static void write_quoted(FILE *file, const char *word)
{
    fputc('\'', file);
    for (; *word != '\0'; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[2]){*word, '\0'}, file);
    }
    fputc('\'', file);
}

static char *grade_command(const struct options *options, const struct again *again)
{
    struct text text;
    text_begin(&text);
    fputs("build/grade check --src ", text.file);
    write_quoted(text.file, options->source);
    if (again->exercise != NULL) {
        fprintf(text.file, " --exercise %s", again->exercise);
    } else {
        fprintf(text.file, " --lab %d", again->lab);
    }
    fputs(again->gpu ? " --backend gpu" : "", text.file);
    if (again->seed != 0) {
        fprintf(text.file, " --seed %llu", again->seed);
    }
    if (again->show != NULL) {
        fprintf(text.file, " --%s", again->show);
    }
    return text_end(&text);
}

char *options_command(const struct options *options, const struct again *again)
{
    if (!options_fit_make(options)) {
        return grade_command(options, again);
    }
    struct text text;
    char *source = options_make_source(options);
    text_begin(&text);
    if (again->exercise != NULL) {
        fprintf(text.file, "make check EX=%s", again->exercise);
    } else {
        fprintf(text.file, "make check LAB=%d", again->lab);
    }
    fprintf(text.file, "%s%s", again->gpu ? " GPU=1" : "", source);
    if (again->seed != 0) {
        fprintf(text.file, " SEED=%llu", again->seed);
    }
    fputs(again->show != NULL ? " " : "", text.file);
    for (const char *c = again->show; c != NULL && *c != '\0'; c++) {
        fputc(toupper((unsigned char)*c), text.file);
    }
    fputs(again->show != NULL ? "=1" : "", text.file);
    free(source);
    return text_end(&text);
}
