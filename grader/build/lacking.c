// lacking.c - says that the simulated GPU lacks a feature of CUDA, in place of the compiler's errors.
//
// g++ only says that cudaGraph_t was not declared, as it does about a spelling mistake. gpu/lacking.h has the names;
// cudasim does the same for programs of one's own (explain in gpu/cudasim.sh).

#define _GNU_SOURCE
#include "build/lacking.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_NAME = 80 };

// The feature that a name of CUDA belongs to, "" for one without a feature, and NULL for any other name. Whole
// words only: cub is no part of cube.
static const char *feature_of(const char *name)
{
    static const struct {
        const char *pattern, *feature;
    } lacking[] = {
#define LACKS(pattern, feature) {pattern, feature},
#define HAND_INS_LACK(pattern, feature) {pattern, feature},
#include "gpu/lacking.h"
    };
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        if (fnmatch(lacking[i].pattern, name, 0) == 0) {
            return lacking[i].feature;
        }
    }
    return NULL;
}

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

// What g++ says about a name that it does not know.
static bool is_unknown(const char *text)
{
    static const char *const words[] = {"was not declared",      "does not name a type",
                                        "has not been declared", "declared void",
                                        "is not a member of",    NULL};
    size_t i = 0;
    while (words[i] != NULL && strstr(text, words[i]) == NULL) {
        i++;
    }
    return words[i] != NULL;
}

// The first quoted name of text, without the namespaces before it.
static bool read_name(char name[MOST_NAME], const char *text)
{
    const char *start = strchr(text, '\'');
    const char *end = start != NULL ? strchr(start + 1, '\'') : NULL;
    if (end == NULL) {
        return false;
    }
    for (const char *at = ++start; at < end; at++) {
        start = *at == ':' ? at + 1 : start;
    }
    snprintf(name, MOST_NAME, "%.*s", (int)(end - start), start);
    return name[0] != '\0';
}

// What replaces the text of an error; NULL if it stays. The caller frees.
static char *said_better(const char *text)
{
    char name[MOST_NAME];
    if (begins(text, "exception handling disabled")) {
        return grader_print(
            "a hand-in is compiled without exceptions; return a lab_status, such as "
            "LAB_ECUDA, instead");
    }
    if (strstr(text, "'-fno-rtti'") != NULL) {
        return grader_print(
            "a hand-in is compiled without typeid and dynamic_cast; leave them out");
    }
    if (!is_unknown(text) || !read_name(name, text)) {
        return NULL;
    }
    const char *feature = feature_of(name);
    if (feature == NULL) {
        return NULL;
    }
    if (*feature != '\0') {
        return grader_print(
            "the simulated GPU has no %s (%s); docs/gpu.md lists what it has", feature,
            name);
    }
    const char *meant = strstr(text, "; did you mean");
    return grader_print("the simulated GPU has no %s; docs/gpu.md lists what it has%s",
                        name, meant != NULL ? meant : "");
}

char *lacking_explained(const char *message)
{
    static const char mark[] = ": error: ";
    char *explained = NULL;
    size_t room = 0;
    FILE *file = open_memstream(&explained, &room);
    if (file == NULL) {
        return grader_print("%s", message);
    }
    for (const char *line = message; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        char *copy = grader_print("%.*s", (int)size, line);
        const char *error = strstr(copy, mark);
        char *better = error != NULL ? said_better(error + strlen(mark)) : NULL;
        fflush(file);
        if (better != NULL && (explained == NULL || strstr(explained, better) == NULL)) {
            fprintf(file, "%.*s%s%s\n", (int)(error - copy), copy, mark, better);
        }
        free(better);
        free(copy);
        line += size + (line[size] == '\n');
    }
    fclose(file);
    if (room == 0) {
        free(explained);
        return grader_print("%s", message);
    }
    return explained;
}
