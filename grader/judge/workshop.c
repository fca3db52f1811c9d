// workshop.c - the scratch folder of a run, and what the compiler may see from there.

#define _GNU_SOURCE
#include "judge/build.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/memory.h"
#include "sandbox/intake.h"

// ---- the scratch folder -------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *status, int kind,
                        struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

// Folders of graders that were killed: their process is gone.
static void sweep(const char *parent)
{
    DIR *directory = opendir(parent);
    if (directory == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid > 0 && *end == '.' && kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
            char *path = grader_print("%s/%s", parent, entry->d_name);
            nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
            free(path);
        }
    }
    closedir(directory);
}

// ---- what the compiler may see ------------------------------------------------------------

static void may_read(struct workshop *workshop, char *path)
{
    if (workshop->readable_count + 1 == MAX_READABLE) {
        grader_fail("more than %d paths for the compiler", (int)MAX_READABLE);
    }
    workshop->readable[workshop->readable_count++] = path;
}

// The system, what every lab is given, and the headers: neither solutions nor other labs.
static void list_readable(struct workshop *workshop)
{
    static const char *const system[] = {
        "/usr",
        "/lib",
        "/lib64",
        "/bin",
        "/opt",
        "/etc/alternatives", // of /etc only what leads to libraries
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        NULL};
    static const char *const given[] = {"labs/common", "build/worker", "build/lib", NULL};
    for (size_t i = 0; system[i] != NULL; i++) {
        may_read(workshop, grader_print("%s", system[i]));
    }
    for (size_t i = 0; given[i] != NULL; i++) {
        may_read(workshop, grader_print("%s/%s", workshop->root, given[i]));
    }
    glob_t headers;
    char *pattern = grader_print("%s/labs/[0-9]*/*.h", workshop->root);
    if (glob(pattern, 0, NULL, &headers) == 0) {
        for (size_t i = 0; i < headers.gl_pathc; i++) {
            may_read(workshop, grader_print("%s", headers.gl_pathv[i]));
        }
        globfree(&headers);
    }
    free(pattern);
    workshop->writable[0] = workshop->folder;
    workshop->writable[1] = "/dev/null";
}

struct workshop workshop_open(const char *root, const char *source)
{
    char *absolute = realpath(root, NULL); // the worker runs in another folder
    if (absolute == NULL) {
        grader_fail("cannot find %s: %s", root, strerror(errno));
    }
    char *parent = grader_print("%s/build/tmp", absolute);
    free(absolute);
    if (mkdir(parent, 0777) != 0 && errno != EEXIST) {
        grader_fail("cannot make %s: %s", parent, strerror(errno));
    }
    sweep(parent);
    struct workshop workshop = {.root = root, .source = source, .named = source};
    workshop.folder = grader_print("%s/%ld.XXXXXX", parent, (long)getpid());
    if (mkdtemp(workshop.folder) == NULL) {
        grader_fail("cannot make a folder in %s: %s", parent, strerror(errno));
    }
    free(parent);
    list_readable(&workshop);
    return workshop;
}

void workshop_take(struct workshop *workshop)
{
    workshop->untrusted = true;
    workshop->taken = grader_print("%s/submission", workshop->folder);
    if (mkdir(workshop->taken, 0755) != 0) {
        grader_fail("cannot make %s: %s", workshop->taken, strerror(errno));
    }
    intake_take(workshop->source, lab_places, workshop->taken);
    intake_take(workshop->source, gpu_places, workshop->taken);
    workshop->source = workshop->taken;
}

void workshop_close(struct workshop *workshop)
{
    nftw(workshop->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(workshop->folder);
    free(workshop->taken);
    workshop->folder = workshop->taken = NULL;
    for (size_t i = 0; i < workshop->readable_count; i++) {
        free((char *)workshop->readable[i]);
    }
}
