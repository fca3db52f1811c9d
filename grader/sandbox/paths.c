// paths.c - see paths.h.

#define _GNU_SOURCE
#include "sandbox/paths.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void paths_add(struct paths *paths, const char *path)
{
    if (paths->count == MOST_PATHS) {
        grader_fail("more than %d paths that a program may read", (int)MOST_PATHS);
    }
    paths->path[paths->count++] = grader_print("%s", path);
    paths->path[paths->count] = NULL;
}

// Returns true if path is the folder or inside it.
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

// Both paths have no links. A link to a parent of `hidden` is skipped, because its target
// is listed elsewhere.
static void add_around(struct paths *paths, const char *folder, const char *hidden)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *path = grader_print("%s/%s", folder, entry->d_name);
        char *real = realpath(path, NULL);
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (dots || real == NULL || is_below(real, hidden)) {
            // unreadable for this program
        } else if (!is_below(hidden, real)) {
            paths_add(paths, path);
        } else if (entry->d_type == DT_DIR) {
            add_around(paths, real, hidden);
        }
        free(real);
        free(path);
    }
    closedir(directory);
}

void paths_add_without(struct paths *paths, const char *path, const char *hidden)
{
    char *real = realpath(path, NULL);
    char *within = realpath(hidden, NULL);
    if (real == NULL || within == NULL || !is_below(within, real)) {
        paths_add(paths, path);
    } else {
        add_around(paths, real, within);
    }
    free(within);
    free(real);
}

void paths_free(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free((char *)paths->path[i]);
    }
    paths->count = 0;
}
