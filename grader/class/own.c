// own.c - see own.h.

#define _GNU_SOURCE
#include "class/own.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "class/passages.h"
#include "class/sources.h"

// The skeletons that make generates from the solutions, because labs/ may have been edited.
static const char skeletons[] = "build/skeletons", plain_folder[] = "solutions",
                  fast_folder[] = "solutions/fast";

char *own_text(const char *root, const char *folder, const char *lab, const char *name,
               size_t *size)
{
    char *path = grader_print("%s/%s/%s/%s", root, folder, lab, name);
    FILE *file = fopen(path, "re");
    char *text = grader_alloc(LARGEST_SOURCE);
    *size = file != NULL ? fread(text, 1, LARGEST_SOURCE, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    return text;
}

typedef void adder(struct fingerprints *set, const char *text, size_t size);

static void add_all_runs(struct fingerprints *set, const char *text, size_t size)
{
    fingerprints_add(set, text, size, 1);
}

static void add_some_runs(struct fingerprints *set, const char *text, size_t size)
{
    fingerprints_add(set, text, size, 0);
}

// Adds the files of a lab, or of all (0), in one of the workbook's folders.
static void add_folder(struct fingerprints *set, const char *root, const char *folder,
                       int lab, bool gpu, adder *add)
{
    struct sources sources;
    sources_begin(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct source *source = &sources.list[i];
        const struct lab_place *place = source->place;
        if ((lab == 0 || place->number == lab) && (gpu || !place->gpu)) {
            size_t size;
            char *text = own_text(root, folder, place->folder, source->name, &size);
            add(set, text, size);
            free(text);
        }
    }
    sources_end(&sources);
}

struct fingerprints own_skeletons(const char *root)
{
    struct fingerprints known = {NULL, 0, 0, 0};
    add_folder(&known, root, skeletons, 0, true, add_all_runs);
    fingerprints_finish(&known, NULL);
    return known;
}

struct fingerprints own_solution(const char *root, int lab, bool fast, bool gpu,
                                 const struct fingerprints *known)
{
    struct fingerprints prints = {NULL, 0, 0, 0};
    add_folder(&prints, root, fast ? fast_folder : plain_folder, lab, gpu, add_some_runs);
    fingerprints_finish(&prints, known);
    return prints;
}

struct own_code own_code_read(const char *root)
{
    static const char *const folders[] = {skeletons, plain_folder, fast_folder};
    struct own_code code = {{NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        add_folder(&code.runs, root, folders[i], 0, true, add_all_runs);
        add_folder(&code.passages, root, folders[i], 0, true, passages_add);
    }
    fingerprints_finish(&code.runs, NULL);
    fingerprints_finish(&code.passages, NULL);
    return code;
}

void own_code_free(struct own_code *code)
{
    fingerprints_free(&code->runs);
    fingerprints_free(&code->passages);
}
