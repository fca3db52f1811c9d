// others.c - see others.h.

#define _GNU_SOURCE
#include "class/others.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "class/sources.h"
#include "report/text.h"

enum { LONGEST_SHOWN = 60, MOST_SHOWN = 3 };

// ---- what was handed out ------------------------------------------------------------------

static void add_handed_out(struct others *others, const char *name)
{
    size_t size = (others->handed_out_count + 1) * sizeof *others->handed_out;
    others->handed_out = grader_resize(others->handed_out, size);
    others->handed_out[others->handed_out_count++] = grader_print("%s", name);
}

// The names in a folder and its subfolders.
static void add_folder(struct others *others, const char *path, int deep)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.') {
            add_handed_out(others, name);
            char *below = grader_print("%s/%s", path, name);
            if (deep > 0) {
                add_folder(others, below, deep - 1);
            }
            free(below);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

void others_begin(struct others *others, const char *root)
{
    *others = (struct others){.handed_out = NULL};
    char *labs = grader_print("%s/labs", root);
    add_folder(others, root, 0);
    add_folder(others, labs, 1);
    free(labs);
}

static size_t stored(const struct others *others, size_t kind)
{
    const size_t count = others->count[kind];
    return count < MOST_OTHERS_KEPT ? count : MOST_OTHERS_KEPT;
}

void others_end(struct others *others)
{
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < stored(others, kind); i++) {
            free(others->named[kind][i]);
        }
    }
    for (size_t i = 0; i < others->handed_out_count; i++) {
        free(others->handed_out[i]);
    }
    free(others->handed_out);
}

// ---- names --------------------------------------------------------------------------------

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// The first ignored folder in a path, or NULL. Caller frees.
static char *skipped_folder(const char *path)
{
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        char *folder = grader_print("%.*s", (int)(slash - path), path);
        if (sources_skip(folder)) {
            return folder;
        }
        free(folder);
    }
    return NULL;
}

static bool is_skipped(const char *path)
{
    char *folder = skipped_folder(path);
    bool skipped = folder != NULL;
    free(folder);
    return skipped;
}

static bool is_code(const char *name)
{
    const char *end = strrchr(name, '.');
    return end != NULL && (strcasecmp(end, ".c") == 0 || strcasecmp(end, ".cu") == 0);
}

// A name that fits on a line: short, without control characters. Caller frees.
static char *shown(const char *name)
{
    size_t length = strnlen(name, LONGEST_SHOWN + 1);
    bool cut = length > LONGEST_SHOWN;
    length -= cut;
    while (cut && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) {
        length--; // do not cut a UTF-8 character
    }
    char *clean = report_clean(name, length);
    for (char *at = clean; *at != '\0'; at++) {
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    }
    char *line = grader_print("%s%s", clean, cut ? "..." : "");
    free(clean);
    return line;
}

static void keep(struct others *others, const char *name, const char *remark)
{
    const size_t kind = is_code(name) ? 0 : 1, place = stored(others, kind);
    char *part = shown(name), *line = grader_print("%s%s", part, remark);
    bool is_new = true;
    for (size_t i = 0; i < place; i++) {
        is_new = is_new && strcmp(others->named[kind][i], line) != 0;
    }
    others->count[kind] += is_new;
    if (is_new && place < MOST_OTHERS_KEPT) {
        others->named[kind][place] = line;
    } else {
        free(line);
    }
    free(part);
}

void others_note(struct others *others, const char *path)
{
    const char *name = last_part(path);
    if (name[0] == '\0' || name[0] == '.' || is_skipped(path)) {
        return;
    }
    for (size_t i = 0; i < others->handed_out_count; i++) {
        if (strcmp(others->handed_out[i], name) == 0) {
            return;
        }
    }
    keep(others, name, "");
}

void others_note_elsewhere(struct others *others, const char *path)
{
    char *folder = skipped_folder(path);
    if (folder != NULL) {
        char *remark = grader_print(" (in %s/, which is ignored)", folder);
        keep(others, last_part(path), remark);
        free(remark);
    }
    free(folder);
}

void others_note_empty(struct others *others, const char *path)
{
    keep(others, last_part(path), " (no code in it)");
}

void others_note_special(struct others *others, const char *path, bool link)
{
    if (others != NULL) {
        keep(others, last_part(path),
             link ? " (a link; hand in the file itself)" : " (not a regular file)");
    }
}

char *others_line(const struct others *others)
{
    struct text line;
    size_t told = 0;
    text_begin(&line);
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < stored(others, kind) && told < MOST_SHOWN; i++) {
            fprintf(line.file, "%s%s", told > 0 ? ", " : "", others->named[kind][i]);
            told++;
        }
    }
    size_t more = others->count[0] + others->count[1] - told;
    if (more > 0) {
        fprintf(line.file, " and %zu more", more);
    }
    return text_end(&line);
}
