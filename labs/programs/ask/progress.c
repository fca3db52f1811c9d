// progress.c - remembers which questions have been answered.

#define _GNU_SOURCE // POSIX functions

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/replace.h"
#include "programs/ask/progress.h"

const char *const state_names[STATE_COUNT] = {"open", "first", "later", "shown"};

static void remember(enum state *states, char *line, const struct questions *q)
{
    char *title = strchr(line, '\t');
    if (title == NULL) {
        return;
    }
    *title++ = '\0';
    title[strcspn(title, "\n")] = '\0';
    for (size_t i = 0; i < q->count; i++) {
        for (size_t s = 0; s < STATE_COUNT; s++) {
            if (strcmp(q->all[i].title, title) == 0 &&
                strcmp(state_names[s], line) == 0) {
                states[i] = (enum state)s;
            }
        }
    }
}

void progress_read(enum state *states, const char *path, const struct questions *q)
{
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    for (size_t i = 0; i < q->count; i++) {
        states[i] = STATE_OPEN;
    }
    while (file != NULL && getline(&line, &room, file) >= 0) {
        remember(states, line, q);
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

void progress_write(const enum state *states, const char *path, const struct questions *q)
{
    struct lab_replacement file;
    if (path == NULL) {
        return;
    }
    lab_status status = lab_replace_begin(&file, path);
    for (size_t i = 0; status == LAB_OK && i < q->count; i++) {
        if (states[i] != STATE_OPEN) {
            fprintf(file.file, "%s\t%s\n", state_names[states[i]], q->all[i].title);
        }
    }
    if (status != LAB_OK || lab_replace_commit(&file) != LAB_OK) {
        fprintf(stderr, "ask: cannot write %s: %s\n", path, strerror(errno));
    }
}
