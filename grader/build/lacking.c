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

// A name of CUDA: the feature that it belongs to, "" for one without a feature, or NULL; and the header that
// has such names, or NULL.
struct name_of_cuda {
    const char *pattern, *feature, *header;
};

// NULL for any other name. Whole words only: cub is no part of cube.
static const struct name_of_cuda *look_up(const char *name)
{
    static const struct name_of_cuda names[] = {
#define LACKS(pattern, feature) {pattern, feature, NULL},
#define HAND_INS_LACK(pattern, feature) {pattern, feature, NULL},
#define CUDASIM_LACKS(pattern, feature)
#define FROM_HEADER(pattern, header) {pattern, NULL, header},
#include "gpu/lacking.h"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (fnmatch(names[i].pattern, name, 0) == 0) {
            return &names[i];
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
    const struct name_of_cuda *known = look_up(name);
    if (known == NULL) {
        return NULL;
    }
    if (known->header != NULL) {
        return grader_print(
            "%s is not known: is <%s> included? If so, the simulated GPU does not have "
            "it; docs/gpu.md lists what it has",
            name, known->header);
    }
    if (*known->feature != '\0') {
        return grader_print(
            "the simulated GPU has no %s (%s); docs/gpu.md lists what it has",
            known->feature, name);
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
