// scratch.c - a folder below build/ that is locked while its process lives.
//
// A killed process cannot clean up. The next one sees that the lock is free and does it.

#define _GNU_SOURCE
#include "class/class.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { OPEN_FOLDERS = 16 };

static int remove_one(const char *path, const struct stat *status, int type,
                      struct FTW *place)
{
    (void)status;
    (void)type;
    return place->level == 0 ? 0 : remove(path);
}

void scratch_empty(const char *folder)
{
    nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static int lock_of(const char *folder)
{
    char *path = grader_print("%s/lock", folder);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    free(path);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

static void remove_left_behind(const char *base)
{
    DIR *folder = opendir(base);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, "run.", 4) != 0) {
            continue;
        }
        char *path = grader_print("%s/%s", base, entry->d_name);
        int lock = lock_of(path);
        if (lock >= 0) {
            scratch_empty(path);
            rmdir(path);
            close(lock);
        }
        free(path);
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void scratch_open(struct class *class)
{
    char *base = grader_print("%s/build/class", class->options.root);
    if (mkdir(base, 0777) != 0 && errno != EEXIST) {
        grader_fail("cannot make %s: %s", base, strerror(errno));
    }
    remove_left_behind(base);
    class->scratch = grader_print("%s/run.XXXXXX", base);
    if (mkdtemp(class->scratch) == NULL || (class->lock = lock_of(class->scratch)) < 0) {
        grader_fail("cannot make %s: %s", class->scratch, strerror(errno));
    }
    free(base);
}

void scratch_close(struct class *class)
{
    scratch_empty(class->scratch);
    rmdir(class->scratch);
    close(class->lock);
    free(class->scratch);
    class->scratch = NULL;
}
