// progress.c - remembers which questions have been answered.

#define _GNU_SOURCE // POSIX functions

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/replace.h"
#include "programs/ask/progress.h"
#include "programs/ask/reader.h"

const char *const state_names[STATE_COUNT] = {"open", "first", "later", "shown"};

void progress_keep(struct progress *progress, const char *given)
{
    free(progress->given);
    progress->given = copied(given);
    progress->given[strnlen(given, MOST_GIVEN)] = '\0';
    for (char *at = progress->given; *at != '\0'; at++) {
        *at = strchr("\t\r\n", *at) != NULL ? ' ' : *at;
    }
}

// Cuts the line at its next tab or end, and returns what follows; NULL: nothing.
static char *cut(char *line)
{
    char *rest = line + strcspn(line, "\t\r\n");
    const bool more = *rest == '\t';
    *rest = '\0';
    return more ? rest + 1 : NULL;
}

void progress_read_line(struct progress *all, char *line, const struct questions *q)
{
    char *title = cut(line);
    char *given = title != NULL ? cut(title) : NULL;
    if (given != NULL) {
        cut(given);
    }
    for (size_t i = 0; title != NULL && i < q->count; i++) {
        if (strcmp(q->all[i].title, title) != 0) {
            continue;
        }
        for (size_t s = 0; s < STATE_COUNT; s++) {
            if (strcmp(state_names[s], line) == 0) {
                all[i].state = (enum state)s;
            }
        }
        if (given != NULL && *given != '\0') {
            progress_keep(&all[i], given);
        }
    }
}

void progress_read(struct progress *all, const char *path, const struct questions *q)
{
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    memset(all, 0, q->count * sizeof *all);
    while (file != NULL && getline(&line, &room, file) >= 0) {
        progress_read_line(all, line, q);
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

void progress_write(const struct progress *all, const char *path,
                    const struct questions *q)
{
    struct lab_replacement file;
    if (path == NULL) {
        return;
    }
    lab_status status = lab_replace_begin(&file, path);
    for (size_t i = 0; status == LAB_OK && i < q->count; i++) {
        if (all[i].state != STATE_OPEN) {
            fprintf(file.file, "%s\t%s\t%s\n", state_names[all[i].state], q->all[i].title,
                    all[i].given != NULL ? all[i].given : "");
        }
    }
    if (status != LAB_OK || lab_replace_commit(&file) != LAB_OK) {
        fprintf(stderr, "ask: cannot write %s: %s\n", path, strerror(errno));
    }
}

void progress_free(struct progress *all, size_t count)
{
    for (size_t i = 0; all != NULL && i < count; i++) {
        free(all[i].given);
    }
    free(all);
}
