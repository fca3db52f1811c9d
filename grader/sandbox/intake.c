// intake.c - see intake.h. Start reading at intake_take.

#define _GNU_SOURCE
#include "sandbox/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static const char *kind_of(mode_t mode)
{
    return S_ISLNK(mode)    ? "a symbolic link"
           : S_ISDIR(mode)  ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

enum intake { TAKEN, NOT_THERE, REFUSED };

// Opening a device or pipe could block or have side effects, so check with O_PATH first.
static enum intake open_regular(int folder, const char *file, int *opened, char *why,
                                size_t size)
{
    struct stat named, status;
    int path = openat(folder, file, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (path < 0) {
        snprintf(why, size, "%s cannot be read: %s", file, strerror(errno));
        return errno == ENOENT ? NOT_THERE : REFUSED;
    }
    bool known = fstat(path, &named) == 0;
    close(path);
    if (!known || !S_ISREG(named.st_mode)) {
        snprintf(why, size, "%s is %s, not a file", file,
                 known ? kind_of(named.st_mode) : "something else");
        return REFUSED;
    }
    *opened =
        openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*opened < 0 || fstat(*opened, &status) != 0) {
        snprintf(why, size, "%s cannot be read: %s", file, strerror(errno));
        return REFUSED;
    }
    if (!S_ISREG(status.st_mode) || status.st_ino != named.st_ino) {
        snprintf(why, size, "%s changed while it was read", file);
    } else if (status.st_nlink > 1) {
        snprintf(why, size, "%s has a second name (a hard link); hand in a copy", file);
    } else if (status.st_size > INTAKE_BYTES) {
        snprintf(why, size, "%s has %lld bytes; at most %d are allowed", file,
                 (long long)status.st_size, (int)INTAKE_BYTES);
    } else {
        return TAKEN;
    }
    return REFUSED;
}

// Copies at most INTAKE_BYTES, in case the file grows meanwhile.
static void copy(int from, const char *to)
{
    char bytes[16 * 1024];
    size_t copied = 0;
    ssize_t count = 0;
    int file = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    bool fine = file >= 0 && fchmod(file, 0644) == 0;
    while (fine && copied < INTAKE_BYTES &&
           (count = read(from, bytes, sizeof bytes)) > 0) {
        fine = write(file, bytes, (size_t)count) == count;
        copied += (size_t)count;
    }
    if (!fine || count < 0 || close(file) != 0) {
        grader_fail("cannot copy a submission's file to %s: %s", to, strerror(errno));
    }
}

static void refuse(const char *why, const char *to)
{
    FILE *file = fopen(to, "wxe");
    if (file == NULL || fprintf(file, "#error %s\n", why) < 0 || fclose(file) != 0) {
        grader_fail("cannot write %s: %s", to, strerror(errno));
    }
}

static void take_file(int folder, const char *file, const char *to)
{
    char why[256];
    int opened = -1;
    switch (open_regular(folder, file, &opened, why, sizeof why)) {
    case TAKEN:
        copy(opened, to);
        break;
    case REFUSED:
        refuse(why, to);
        break;
    case NOT_THERE:
        break;
    }
    if (opened >= 0) {
        close(opened);
    }
}

// folder is -1 if it exists but cannot be opened; then all its files are refused.
static void take_place(int folder, const struct lab_place *place, const char *to)
{
    for (size_t i = 0; i < 8 && place->sources[i] != NULL; i++) {
        char *path = grader_print("%s/%s", to, place->sources[i]);
        if (folder >= 0) {
            take_file(folder, place->sources[i], path);
        } else {
            char *why =
                grader_print("%s is not a folder that can be read", place->folder);
            refuse(why, path);
            free(why);
        }
        free(path);
    }
}

void intake_take(const char *source, const struct lab_place *places, const char *to)
{
    int top = open(source, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top < 0) {
        grader_fail("cannot read %s: %s", source, strerror(errno));
    }
    for (const struct lab_place *place = places; place->folder != NULL; place++) {
        int folder =
            openat(top, place->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0 && errno == ENOENT) {
            continue;
        }
        char *path = grader_print("%s/%s", to, place->folder);
        if (mkdir(path, 0755) != 0 && errno != EEXIST) {
            grader_fail("cannot make %s: %s", path, strerror(errno));
        }
        take_place(folder, place, path);
        free(path);
        if (folder >= 0) {
            close(folder);
        }
    }
    close(top);
}
