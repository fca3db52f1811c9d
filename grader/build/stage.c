// stage.c - see stage.h.

#define _GNU_SOURCE
#include "build/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

// Everyone in the box may read these folders, whatever the umask is.
static bool make_folder(const char *path)
{
    const bool made = mkdir(path, 0755) == 0;
    return made ? chmod(path, 0755) == 0 : errno == EEXIST;
}

// Makes the folders of a path below the first `from` bytes of it. Returns false at the first that cannot be made,
// with which the path ends then.
static bool make_parents(char *path, size_t from)
{
    for (char *slash = path + from; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (!make_folder(path)) {
            return false;
        }
        *slash = '/';
    }
    return true;
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

// ---- headers ------------------------------------------------------------------------------

// To make a file takes ten times as long as to give one a second name. But a second name changes the time by
// which the cache knows that a file is unchanged (cache.c). So not the headers themselves get
// second names, but copies of them in build/headers, each with its header's time of change.
static bool share(const char *kept, const struct stat *header, const char *to)
{
    struct stat status;
    return lstat(kept, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & 0444) == 0444 && status.st_size == header->st_size &&
           status.st_mtim.tv_sec == header->st_ctim.tv_sec &&
           status.st_mtim.tv_nsec == header->st_ctim.tv_nsec && link(kept, to) == 0;
}

// Where nothing can be kept, each run copies: on file systems without second names, or in the workbook of
// another user.
static void keep(const char *staged, const struct stat *header, char *kept, size_t root)
{
    const struct timespec times[2] = {header->st_ctim, header->st_ctim};
    if (make_parents(kept, root) && utimensat(AT_FDCWD, staged, times, 0) == 0 &&
        (unlink(kept) == 0 || errno == ENOENT)) {
        // another grader may have kept the same header meanwhile
        (void)!link(staged, kept);
    }
}

static void stage(const struct workshop *workshop, const char *header)
{
    const size_t root = strlen(workshop->root) + 1;
    const size_t folder = strlen(workshop->folder) + 1;
    char *staged = grader_print("%s/headers/%s", workshop->folder, header + root);
    char *kept = grader_print("%s/build/headers/%s", workshop->root, header + root);
    struct stat status; // as it was before it is read
    const bool there = stat(header, &status) == 0;
    if (!make_parents(staged, folder)) {
        grader_fail("cannot make %s: %s", staged, strerror(errno));
    }
    if (!there || !share(kept, &status, staged)) {
        copy(header, staged);
        if (there) {
            keep(staged, &status, kept, root);
        }
    }
    free(kept);
    free(staged);
}

void stage_headers(const struct workshop *workshop)
{
    for (size_t i = 0; i < workshop->headers.count; i++) {
        stage(workshop, workshop->headers.path[i]);
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
