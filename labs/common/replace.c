// replace.c - writes a temporary file beside the old file, then renames it.

#define _GNU_SOURCE // flock

#include "common/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(struct lab_replacement *replacement)
{
    free(replacement->path);
    free(replacement->temporary);
    *replacement = (struct lab_replacement){0};
}

static bool may_be_replaced(const char *path)
{
    struct stat old;
    if (stat(path, &old) != 0 || S_ISREG(old.st_mode)) {
        return true; // missing (the open below reports other errors) or a regular file
    }
    errno = S_ISDIR(old.st_mode) ? EISDIR : EINVAL;
    return false;
}

// Tries names until one is free, because another program may be replacing the same file.
static int open_temporary(struct lab_replacement *replacement)
{
    size_t size = strlen(replacement->path) + 48;
    replacement->temporary = malloc(size);
    if (replacement->temporary == NULL) {
        return -1;
    }
    int fd = -1;
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(replacement->temporary, size, "%s.%ld-%d.tmp", replacement->path,
                 (long)getpid(), attempt);
        fd = open(replacement->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    if (fd >= 0) {
        // held until it is closed, so that lab_replace_tidy leaves the file alone
        flock(fd, LOCK_EX | LOCK_NB);
    }
    return fd;
}

lab_status lab_replace_begin(struct lab_replacement *replacement, const char *path)
{
    *replacement = (struct lab_replacement){0};
    if (!may_be_replaced(path)) {
        return LAB_EIO;
    }
    replacement->path = strdup(path);
    int fd = replacement->path == NULL ? -1 : open_temporary(replacement);
    if (fd >= 0) {
        replacement->file = fdopen(fd, "wb");
        if (replacement->file != NULL) {
            errno = 0; // so that commit sees the errno of a write that fails in between
            return LAB_OK;
        }
        close(fd);
        unlink(replacement->temporary);
    }
    int why = errno;
    forget(replacement);
    errno = why;
    return why == ENOMEM ? LAB_ENOMEM : LAB_EIO;
}

void lab_replace_abort(struct lab_replacement *replacement)
{
    int why = errno;
    if (replacement->file != NULL) {
        fclose(replacement->file);
    }
    if (replacement->temporary != NULL) {
        unlink(replacement->temporary);
    }
    forget(replacement);
    errno = why;
}

lab_status lab_replace_commit(struct lab_replacement *replacement)
{
    FILE *file = replacement->file;
    bool good = !ferror(file);
    if (!good && errno == 0) {
        errno = EIO; // an earlier write failed, and its errno is lost
    }
    good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (good) {
        replacement->file = NULL;
        good =
            fclose(file) == 0 && rename(replacement->temporary, replacement->path) == 0;
    }
    if (!good) {
        lab_replace_abort(replacement);
        return LAB_EIO;
    }
    forget(replacement);
    return LAB_OK;
}

// ---- what was left behind -----------------------------------------------------------------

// Returns true if name has the form "BASE.PROCESS-ATTEMPT.tmp" of open_temporary, and that
// process no longer exists.
static bool was_left(const char *name, const char *base)
{
    const size_t length = strlen(base);
    long process;
    int attempt, end = 0;
    if (strncmp(name, base, length) != 0 ||
        sscanf(name + length, ".%ld-%d.tmp%n", &process, &attempt, &end) != 2 ||
        end == 0 || name[length + (size_t)end] != '\0' || process <= 0) {
        return false;
    }
    return kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static void remove_left(int folder, const char *name)
{
    struct stat file;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        unlinkat(folder, name, 0);
    }
    close(fd);
}

void lab_replace_tidy(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    char *where = slash == NULL   ? strdup(".")
                  : slash == path ? strdup("/")
                                  : strndup(path, (size_t)(slash - path));
    DIR *folder = where == NULL || *base == '\0' ? NULL : opendir(where);
    free(where);
    if (folder == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (was_left(entry->d_name, base)) {
            remove_left(dirfd(folder), entry->d_name);
        }
    }
    closedir(folder);
}
