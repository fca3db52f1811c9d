// stage.c - see stage.h.

#define _GNU_SOURCE
#include "build/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

// Everyone in the box may read these folders, whatever the umask is.
static void make_folder(const char *path)
{
    const bool made = mkdir(path, 0755) == 0;
    if ((!made && errno != EEXIST) || (made && chmod(path, 0755) != 0)) {
        grader_fail("cannot make %s: %s", path, strerror(errno));
    }
}

// Makes the folders of a path below the first `from` bytes of it.
static void make_parents(char *path, size_t from)
{
    for (char *slash = path + from; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        make_folder(path);
        *slash = '/';
    }
}

// A second name for a file that everyone may read takes a tenth of the time of a copy. Not every
// file system has it, and none across two of them.
static bool share(const char *from, const char *to)
{
    struct stat status;
    return lstat(from, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & 0444) == 0444 && link(from, to) == 0;
}

static void copy(const char *from, const char *to)
{
    struct stat status;
    int file = open(from, O_RDONLY | O_CLOEXEC);
    int copy = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool fine =
        file >= 0 && copy >= 0 && fstat(file, &status) == 0 && fchmod(copy, 0644) == 0;
    for (off_t left = fine ? status.st_size : 0; fine && left > 0;) {
        const ssize_t count = sendfile(copy, file, NULL, (size_t)left);
        fine = count > 0;
        left -= count;
    }
    if (!fine || close(copy) != 0) {
        grader_fail("cannot copy %s to %s: %s", from, to, strerror(errno));
    }
    close(file);
}

void stage_headers(const struct workshop *workshop)
{
    const size_t root = strlen(workshop->root) + 1;
    const size_t folder = strlen(workshop->folder) + 1;
    for (size_t i = 0; i < workshop->headers.count; i++) {
        const char *header = workshop->headers.path[i];
        char *staged = grader_print("%s/headers/%s", workshop->folder, header + root);
        make_parents(staged, folder);
        if (!share(header, staged)) {
            copy(header, staged);
        }
        free(staged);
    }
}

size_t stage_mounts(const struct workshop *workshop, struct box_path mounts[MOST_STAGED])
{
    static const char *const folders[MOST_STAGED - 1] = {"labs", "grader/gpu/include",
                                                         "solutions/fast/common"};
    size_t count = 0;
    if (workshop->precompiled != NULL) {
        mounts[count++] = (struct box_path){grader_print("%s", workshop->precompiled),
                                            grader_print("%s", workshop->precompiled)};
    }
    for (size_t i = 0; i < MOST_STAGED - 1; i++) {
        char *staged = grader_print("%s/headers/%s", workshop->folder, folders[i]);
        char *place = grader_print("%s/%s", workshop->root, folders[i]);
        char *real = realpath(place, NULL);
        free(place);
        if (real != NULL && access(staged, F_OK) == 0) {
            mounts[count++] = (struct box_path){staged, real};
        } else {
            free(staged);
            free(real);
        }
    }
    return count;
}
