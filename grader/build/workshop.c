// workshop.c - the scratch folder of a run, and the files that its tools may read.

#define _GNU_SOURCE

#include "build/workshop.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "build/stage.h"
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

// Removes the folders of killed graders, whose process no longer exists.
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

// ---- files that the tools may see ---------------------------------------------------------

static void list_headers(struct workshop *workshop, const char *pattern)
{
    glob_t found;
    char *root = pattern_of(workshop->root);
    char *below = grader_print("%s/%s", root, pattern);
    if (glob(below, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            paths_add(&workshop->headers, found.gl_pathv[i]);
        }
        globfree(&found);
    }
    free(below);
    free(root);
}

// The only files of the workbook that a compiler may read are the headers for students.
// They are listed one by one, because the same folders contain programs that solve
// exercises. All other files that a step needs are named in its command (command.c).
static void list_readable(struct workshop *workshop)
{
    static const char *const system[] = {
        "/usr",
        "/lib",
        "/lib64",
        "/bin",
        "/opt",
        "/etc/alternatives", // in /etc only the files for finding libraries
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        NULL};
    static const char *const headers[] = {"labs/common/*.h",
                                          "labs/common/gpu/*.h",
                                          "grader/gpu/include/*.h",
                                          "grader/gpu/include/simulated/*.h",
                                          "grader/gpu/include/cooperative_groups/*.h",
                                          "grader/gpu/include/cuda/std/*",
                                          "labs/[0-9]*/*.h",
                                          NULL};
    static const char *const of_the_fast = "solutions/fast/common/*.h";
    for (size_t i = 0; system[i] != NULL; i++) {
        paths_add_without(&workshop->system, system[i], workshop->root);
    }
    for (size_t i = 0; headers[i] != NULL; i++) {
        list_headers(workshop, headers[i]);
    }
    if (workshop->fast) {
        list_headers(workshop, of_the_fast);
    }
}

// A student's file must not include what the fast twins share: it solves exercises.
static bool is_fast_twins(const char *root, const char *source)
{
    char *twins = grader_print("%s/solutions/fast", root);
    char *expected = realpath(twins, NULL), *actual = realpath(source, NULL);
    const bool same = expected != NULL && actual != NULL && strcmp(expected, actual) == 0;
    free(twins);
    free(expected);
    free(actual);
    return same;
}

static bool is_newer(const struct stat *file, const struct stat *than)
{
    return file->st_mtim.tv_sec != than->st_mtim.tv_sec
               ? file->st_mtim.tv_sec > than->st_mtim.tv_sec
               : file->st_mtim.tv_nsec > than->st_mtim.tv_nsec;
}

// g++ takes a precompiled header even if one of the headers in it has changed since.
static bool is_current(const char *precompiled, const char *root)
{
    char *start = pattern_of(root);
    char *headers = grader_print("%s/grader/gpu/include/{*,*/*,*/*/*}", start);
    struct stat made, header;
    glob_t found = {0};
    bool current = stat(precompiled, &made) == 0 &&
                   glob(headers, GLOB_BRACE | GLOB_NOSORT, NULL, &found) == 0;
    for (size_t i = 0; current && i < found.gl_pathc; i++) {
        current = stat(found.gl_pathv[i], &header) == 0 &&
                  (S_ISDIR(header.st_mode) || !is_newer(&header, &made));
    }
    globfree(&found);
    free(headers);
    free(start);
    return current;
}

// Absolute, because in a box it is mounted at the same place. NULL without one.
static char *find_precompiled(const char *root)
{
    char *folder = grader_print("%s/build/worker/gpu/precompiled", root);
    char *precompiled = grader_print("%s/cuda_runtime.h.gch", folder);
    char *real = is_current(precompiled, root) ? realpath(folder, NULL) : NULL;
    free(precompiled);
    free(folder);
    return real;
}

struct workshop workshop_open(const char *root, const char *source)
{
    // absolute, because the worker runs in another folder
    char *absolute = realpath(root, NULL);
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
    workshop.fast = is_fast_twins(root, source);
    workshop.precompiled = find_precompiled(root);
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
    stage_headers(workshop);
}

bool workshop_holds(const struct workshop *workshop, const char *path)
{
    char *top = realpath(workshop->source, NULL), *file = realpath(path, NULL);
    const size_t length = top != NULL ? strlen(top) : 0;
    const bool holds = length > 0 && file != NULL && strncmp(file, top, length) == 0 &&
                       (file[length] == '/' || top[length - 1] == '/');
    free(top);
    free(file);
    return holds;
}

void workshop_close(struct workshop *workshop)
{
    nftw(workshop->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(workshop->folder);
    free(workshop->taken);
    free(workshop->precompiled);
    workshop->folder = workshop->taken = workshop->precompiled = NULL;
    paths_free(&workshop->system);
    paths_free(&workshop->headers);
}
