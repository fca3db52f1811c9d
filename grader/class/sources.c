// sources.c - see sources.h.

#define _GNU_SOURCE
#include "class/sources.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grade/answers.h"

enum {
    MOST_OF_A_LAB = 8,
    // The ranks of sources.h; a browser's suffix lowers the rank by SUFFIXED.
    IN_LABS = 6,
    IN_FOLDER = 5,
    BARE = 4,
    SUFFIXED = 3,
};

static struct source *add_source(struct sources *sources, const struct lab_place *place,
                                 const char *name)
{
    if (sources->count == MOST_SOURCES) {
        grader_fail("the labs have more than %d files", (int)MOST_SOURCES);
    }
    struct source *source = &sources->list[sources->count++];
    *source = (struct source){.place = place, .name = name};
    return source;
}

static void add_places(struct sources *sources, const struct lab_place *place)
{
    for (; place->folder != NULL; place++) {
        for (size_t i = 0; i < MOST_OF_A_LAB && place->sources[i] != NULL; i++) {
            add_source(sources, place, place->sources[i]);
        }
        if (!place->gpu) {
            char *name = answers_name(place->number);
            add_source(sources, place, name)->answers = name;
        }
    }
}

void sources_begin(struct sources *sources)
{
    *sources = (struct sources){.count = 0};
    add_places(sources, lab_places);
    add_places(sources, gpu_places);
}

void sources_end(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->list[i].answers);
        free(sources->list[i].path);
        free(sources->list[i].origin);
        free(sources->list[i].elsewhere);
        free(sources->list[i].bytes);
    }
}

bool sources_refuse(struct sources *sources, const char *format, ...)
{
    if (sources->refusal[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(sources->refusal, sizeof sources->refusal, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool sources_skip(const char *folder)
{
    static const char *const names[] = {"solutions", "grader",   "build", "datasets",
                                        "docs",      "__MACOSX", NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(folder, names[i]) == 0) {
            return true;
        }
    }
    return folder[0] == '.' && strcmp(folder, ".") != 0;
}

// Finds the last three parts of a path. Returns false if the path contains an ignored
// folder.
static bool split(const char *path, char part[3][64])
{
    memset(part, 0, 3 * 64);
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        bool last = path[length] == '\0';
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), path);
        if (!last && sources_skip(name)) {
            return false;
        }
        if (length > 0 && strcmp(name, ".") != 0) {
            memcpy(part[0], part[1], 64);
            memcpy(part[1], part[2], 64);
            memcpy(part[2], length < 63 ? name : "", length < 63 ? sizeof name : 1);
        }
        path += length + !last;
    }
    return true;
}

static bool unique(const struct sources *sources, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        count += strcmp(sources->list[i].name, name) == 0;
    }
    return count == 1;
}

// Changes "attention (1).c" and "attention (1) (2).c" to "attention.c". Returns true if it
// did.
static bool drop_suffixes(char *name)
{
    bool dropped = false;
    for (;;) {
        char *end = strrchr(name, '.');
        char *at = end;
        if (end == NULL || end - name < 4 || *--at != ')') {
            return dropped;
        }
        size_t digits = 0;
        while (at > name && isdigit((unsigned char)at[-1])) {
            at--;
            digits++;
        }
        if (digits == 0 || at - name < 2 || at[-1] != '(') {
            return dropped;
        }
        at--;
        at -= at - name > 1 && at[-1] == ' ' ? 1 : 0;
        memmove(at, end, strlen(end) + 1);
        dropped = true;
    }
}

struct source *sources_find(struct sources *sources, const char *path, int *line)
{
    char part[3][64];
    if (!split(path, part)) {
        return NULL;
    }
    int less = drop_suffixes(part[2]) ? SUFFIXED : 0;
    for (size_t i = 0; i < sources->count; i++) {
        struct source *source = &sources->list[i];
        if (strcmp(source->name, part[2]) != 0) {
            continue;
        }
        if (strcmp(source->place->folder, part[1]) == 0) {
            *line = (strcmp(part[0], "labs") == 0 ? IN_LABS : IN_FOLDER) - less;
            return source;
        }
        if (unique(sources, part[2])) {
            *line = BARE - less;
            return source;
        }
    }
    return NULL;
}

void sources_note_elsewhere(struct sources *sources, const char *path)
{
    const char *below = NULL; // after the last ignored folder
    for (const char *part = path, *slash; (slash = strchr(part, '/')) != NULL;
         part = slash + 1) {
        char *folder = grader_print("%.*s", (int)(slash - part), part);
        bool skipped = sources_skip(folder);
        bool hidden = skipped && (folder[0] == '.' || folder[0] == '_');
        free(folder);
        if (hidden) {
            return;
        }
        below = skipped ? slash + 1 : below;
    }
    int line;
    struct source *source = below != NULL ? sources_find(sources, below, &line) : NULL;
    // The first by name, because the order of directory entries varies.
    if (source != NULL &&
        (source->elsewhere == NULL || strcmp(path, source->elsewhere) < 0)) {
        free(source->elsewhere);
        source->elsewhere = grader_print("%s", path);
    }
}

static bool is_text(const char *one, const char *other)
{
    return strcmp(one != NULL ? one : "", other != NULL ? other : "") == 0;
}

// The message must identify both files by name: paths in the archive and, if they come from
// two archives, folders or uploads, also the names of these.
static bool refuse_two(struct sources *sources, const struct source *source,
                       const char *path)
{
    if (!is_text(source->origin, sources->origin)) {
        return sources_refuse(sources, "which one counts? %s (%s) and %s (%s) differ",
                              source->path, source->origin, path, sources->origin);
    }
    if (strcmp(source->path, path) != 0) {
        return sources_refuse(sources, "which one counts? %s and %s differ", source->path,
                              path);
    }
    return sources_refuse(sources,
                          "which one counts? two files%s%s are called %s and differ",
                          source->origin != NULL ? " of " : "",
                          source->origin != NULL ? source->origin : "", path);
}

// Returns true if the file's lab is the one at place, or one that it uses. The GPU side of a lab
// uses only .cu files of others.
static bool is_part_of(const struct source *source, const struct lab_place *place)
{
    bool part = strcmp(source->place->folder, place->folder) == 0;
    for (size_t i = 0; place->uses[i] != NULL; i++) {
        part = part || (strcmp(source->place->folder, place->uses[i]) == 0 &&
                        (source->place->gpu || !place->gpu));
    }
    return part;
}

// Returns true if a lab that is judged depends on the file.
static bool is_judged(const struct sources *sources, const struct source *source)
{
    const struct lab_place *const sides[] = {lab_places, gpu_places};
    bool judged = sources->lab == 0;
    for (size_t i = 0; i < 2 && !judged; i++) {
        for (const struct lab_place *place = sides[i]; place->folder != NULL; place++) {
            judged =
                judged || (place->number == sources->lab && is_part_of(source, place));
        }
    }
    return judged;
}

bool sources_take(struct sources *sources, struct source *source, int line,
                  const char *path, const char *bytes, size_t size)
{
    if (size > LARGEST_SOURCE) {
        return !is_judged(sources, source) ||
               sources_refuse(sources, "%s is larger than %d kilobytes", path,
                              LARGEST_SOURCE / 1024);
    }
    if (source->line > line) {
        return true;
    }
    if (source->line == line) {
        bool same = source->size == size &&
                    (size == 0 || memcmp(source->bytes, bytes, size) == 0);
        return same || !is_judged(sources, source) || refuse_two(sources, source, path);
    }
    const size_t all = sources->size - source->size + size;
    if (all > LARGEST_HAND_IN) {
        return !is_judged(sources, source) ||
               sources_refuse(
                   sources, "its files of the labs are larger than %d megabytes together",
                   LARGEST_HAND_IN >> 20);
    }
    sources->size = all;
    free(source->path);
    free(source->origin);
    free(source->bytes);
    source->path = grader_print("%s", path);
    source->origin = sources->origin != NULL ? grader_print("%s", sources->origin) : NULL;
    source->bytes = grader_alloc(size + 1);
    memcpy(source->bytes, bytes, size);
    source->size = size;
    source->line = line;
    return true;
}
