// paths.h - lists of paths that a program may read.

#ifndef GRADER_PATHS_H
#define GRADER_PATHS_H

#include <stddef.h>

enum { MOST_PATHS = 256 };

// Initialize with {.count = 0}. Owns the paths; the last one is followed by NULL, as struct
// wall needs.
struct paths {
    const char *path[MOST_PATHS + 1];
    size_t count;
};

// Adds a copy of the path, which need not exist.
void paths_add(struct paths *paths, const char *path);

// Adds the path without the folder `hidden`. If `hidden` is inside it, adds the siblings of
// `hidden` and of its parents one by one. So a workbook in /usr/local does not count as a
// part of the system.
void paths_add_without(struct paths *paths, const char *path, const char *hidden);

void paths_free(struct paths *paths);

#endif
