// root.c - see root.h.

#define _GNU_SOURCE
#include "base/root.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

char *workbook_root(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        grader_fail("cannot find the path of this program: %s", strerror(errno));
    }
    path[length] = '\0';
    for (char *slash; (slash = strrchr(path, '/')) != NULL;) {
        *slash = '\0';
        char *table = grader_print("%s/grader/points.txt", path);
        bool found = access(table, F_OK) == 0;
        free(table);
        if (found) {
            return grader_print("%s", path);
        }
    }
    grader_fail("no folder above this program contains grader/points.txt");
}
