// progress.c - see progress.h. A line of the file is a lab, the hash of its files, and the exercises
// that pass: "01_simple_attention 9f3c... 1.1 1.2".

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

// One line of the file: its exercises pass if the lab's files are the same.
static void read_line(struct course *course, char *line)
{
    char *rest = NULL;
    const char *folder = strtok_r(line, " ", &rest);
    const char *hash = strtok_r(NULL, " ", &rest);
    for (size_t i = 0; hash != NULL && i < course->lab_count; i++) {
        if (strcmp(course->labs[i].folder, folder) != 0 ||
            strtoull(hash, NULL, 16) != hash_of(course, i)) {
            continue;
        }
        for (char *id; (id = strtok_r(NULL, " ", &rest)) != NULL;) {
            const size_t e = course_find(course, id);
            if (e < course->exercise_count) {
                course->exercises[e].state = PASSING;
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

void progress_write(const struct course *course, const char *path)
{
    char *temporary = print("%s.%d", path, (int)getpid());
    char *slash = strrchr(temporary, '/');
    *slash = '\0';
    mkdir(temporary, 0777);
    *slash = '/';
    FILE *file = fopen(temporary, "w");
    for (size_t i = 0; file != NULL && i < course->lab_count; i++) {
        const struct lab *lab = &course->labs[i];
        if (course_passing(course, lab->first, lab->count) == 0) {
            continue;
        }
        fprintf(file, "%s %016" PRIx64, lab->folder, hash_of(course, i));
        for (size_t e = lab->first; e < lab->first + lab->count; e++) {
            if (course->exercises[e].state == PASSING) {
                fprintf(file, " %s", course->exercises[e].id);
            }
        }
        fputc('\n', file);
    }
    if (file != NULL && fclose(file) == 0) {
        rename(temporary, path);
    }
    free(temporary);
}
