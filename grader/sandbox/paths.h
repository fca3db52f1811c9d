// paths.h - lists of paths that a program may read.

#ifndef GRADER_PATHS_H
#define GRADER_PATHS_H

#include <stddef.h>

enum { MOST_PATHS = 256 };

// Begins as {.count = 0}. The paths belong to it; behind the last stands NULL, as struct wall
// wants it.
struct paths {
    const char *path[MOST_PATHS + 1];
    size_t count;
};

// A copy of the path, whether it exists or not.
void paths_add(struct paths *paths, const char *path);

// The path without what lies in the folder `hidden`, should that be in it: then what lies beside
// `hidden`, and beside the folders around it, is listed one by one. So a workbook in /usr/local is
// no part of the system.
void paths_add_without(struct paths *paths, const char *path, const char *hidden);

void paths_free(struct paths *paths);

#endif
