// own.c - see own.h.

#define _GNU_SOURCE
#include "class/own.h"

#include <stdio.h>
#include <stdlib.h>

#include "class/sources.h"
#include "base/memory.h"

// Adds a file of the workbook; a missing file has no fingerprints.
static void add_file(struct fingerprints *prints, const char *root, const char *folder,
                     const struct source *source, int whole)
{
    char *path =
        grader_print("%s/%s/%s/%s", root, folder, source->place->folder, source->name);
    FILE *file = fopen(path, "re");
    char *text = grader_alloc(LARGEST_SOURCE);
    size_t size = file != NULL ? fread(text, 1, LARGEST_SOURCE, file) : 0;
    fingerprints_add(prints, text, size, whole);
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    free(path);
}

struct fingerprints own_skeletons(const char *root)
{
    struct fingerprints known = {NULL, 0, 0, 0};
    struct sources sources;
    sources_begin(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        // The skeletons that make generates from the solutions, because labs/ may have been
        // edited.
        add_file(&known, root, "build/skeletons", &sources.list[i], 1);
    }
    sources_end(&sources);
    fingerprints_finish(&known, NULL);
    return known;
}

struct fingerprints own_solution(const char *root, int lab, bool gpu,
                                 const struct fingerprints *known)
{
    struct fingerprints prints = {NULL, 0, 0, 0};
    struct sources sources;
    sources_begin(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct source *source = &sources.list[i];
        if (source->place->number == lab && (gpu || !source->place->gpu)) {
            add_file(&prints, root, "solutions", source, 0);
        }
    }
    sources_end(&sources);
    fingerprints_finish(&prints, known);
    return prints;
}
