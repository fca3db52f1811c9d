// progress.c - see progress.h. A line of the file is a lab, the hash of its files, and the exercises
// that pass: "01_simple_attention 9f3c... 1.1 1.2". If the files do not compile, or were not judged since
// an edit, the hash is 0: the exercises passed before, and the next start judges the lab again.

#define _GNU_SOURCE

#include "programs/learn/progress.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "programs/learn/place.h"
#include "programs/learn/text.h"

static uint64_t add_to_hash(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) { // FNV-1a
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    }
    return hash;
}

static uint64_t hash_of(const struct course *course, size_t lab)
{
    uint64_t hash = 14695981039346656037u;
    char *folder = course_folder(course, lab);
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (course_is_source(course, entries[i]->d_name)) {
            char *path = print("%s/%s", folder, entries[i]->d_name);
            struct lines lines = lines_read(path);
            hash = add_to_hash(hash, entries[i]->d_name);
            for (size_t n = 0; n < lines.count; n++) {
                hash = add_to_hash(hash, lines.line[n]) * 31;
            }
            lines_free(&lines);
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return hash;
}

// One line of the file: its exercises pass if the lab's files are the same. Otherwise they passed before.
static void read_line(struct course *course, char *line)
{
    char *rest = NULL;
    const char *folder = strtok_r(line, " ", &rest);
    const char *hash = strtok_r(NULL, " ", &rest);
    for (size_t i = 0; hash != NULL && i < course->lab_count; i++) {
        if (strcmp(course->labs[i].folder, folder) != 0) {
            continue;
        }
        const bool same = strtoull(hash, NULL, 16) == hash_of(course, i);
        for (char *id; (id = strtok_r(NULL, " ", &rest)) != NULL;) {
            const size_t e = course_find(course, id);
            if (e < course->exercise_count) {
                course->exercises[e].recorded = true;
                course->exercises[e].state = same ? PASSING : course->exercises[e].state;
            }
        }
    }
}

void progress_read(struct course *course, const char *path)
{
    for (size_t i = 0; i < course->exercise_count; i++) {
        struct place place = place_of(course, &course->exercises[i]);
        course->exercises[i].state = place.todo ? TODO : UNKNOWN;
        free(place.path);
    }
    struct lines lines = lines_read(path);
    for (size_t i = 0; i < lines.count; i++) {
        read_line(course, lines.line[i]);
    }
    lines_free(&lines);
}

// Not judged since the edit: it may pass or not, and passed before.
static bool is_older(const struct exercise *exercise)
{
    return exercise->state == UNKNOWN && exercise->recorded;
}

// Nothing for a lab without passes.
static void write_lab(FILE *file, const struct course *course, size_t i)
{
    const struct lab *lab = &course->labs[i];
    const struct exercise *exercise = &course->exercises[lab->first];
    bool any = false, older = lab->uncompiled;
    for (size_t e = 0; e < lab->count; e++) {
        any = any || exercise[e].state == PASSING || is_older(&exercise[e]);
        older = older || is_older(&exercise[e]);
    }
    if (!any) {
        return;
    }
    fprintf(file, "%s %016" PRIx64, lab->folder, older ? 0 : hash_of(course, i));
    for (size_t e = 0; e < lab->count; e++) {
        if (exercise[e].state == PASSING || is_older(&exercise[e])) {
            fprintf(file, " %s", exercise[e].id);
        }
    }
    fputc('\n', file);
}

void progress_write(const struct course *course, const char *path)
{
    char *temporary = print("%s.%d", path, (int)getpid());
    char *slash = strrchr(temporary, '/');
    *slash = '\0';
    mkdir(temporary, 0777);
    *slash = '/';
    FILE *file = fopen(temporary, "w");
    for (size_t i = 0; file != NULL && i < course->lab_count; i++) {
        write_lab(file, course, i);
    }
    if (file != NULL && fclose(file) == 0) {
        rename(temporary, path);
    }
    free(temporary);
}
