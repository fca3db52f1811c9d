// available.c - finds out whether boxes work on this machine by trying one. Versions do not
// tell, because a container may forbid any step.

#define _GNU_SOURCE
#include "sandbox/available.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/box.h"
#include "sandbox/process.h"

static char reason_found[512];
static bool found;
static const char *workbook;

// The first line that bwrap or inside printed, without the newline.
static void explain(const struct outcome *outcome)
{
    char line[256];
    snprintf(line, sizeof line, "%s", outcome->output);
    line[strcspn(line, "\n")] = '\0';
    if (outcome->ending == NOT_STARTED && *line == '\0') {
        snprintf(reason_found, sizeof reason_found, "bwrap: %s", strerror(outcome->code));
    } else if (*line != '\0') {
        snprintf(reason_found, sizeof reason_found, "%s", line);
    } else {
        snprintf(reason_found, sizeof reason_found,
                 "a program in a box ended with status %d", outcome->code);
    }
}

// A shell that starts another program, to test forks and libraries. Not one of coreutils: those of
// Ubuntu 26.04 are written in Rust and need /proc/self/auxv, which no program in a box may read.
static void try_box(void)
{
    static const char *const readable[] = {
        "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", NULL};
    static const char *const writable[] = {"/dev/null", NULL};
    const struct wall wall = {readable, writable, false};
    char *helper = grader_print("%s/build/box/inside", workbook);
    const struct box box = {.kind = BOX_COMPILER, .helper = helper, .wall = &wall};
    const struct limits limits = {5, 256, 1 << 16, 0, 0, 0, 0};
    char *arguments[] = {"/bin/sh", "-c", "/bin/sh -c : && exit 42", NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .box = &box};
    if (access(helper, X_OK) != 0) {
        snprintf(reason_found, sizeof reason_found, "%s is missing: run make programs",
                 helper);
    } else {
        struct outcome outcome = process_run(&program);
        found = outcome.ending == EXITED && outcome.code == 42;
        if (!found) {
            explain(&outcome);
        }
        free(outcome.output);
    }
    free(helper);
}

bool box_available(const char *root, char *reason, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    workbook = root;
    pthread_once(&once, try_box);
    snprintf(reason, size, "%s", reason_found);
    return found;
}
