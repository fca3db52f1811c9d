// box.c - measures the cost of a box: starting and ending a program with and without one (make
// bench).
//
// The runs alternate, so that a busy moment of the machine affects both. A box is a chain of
// four processes, so it takes longer on a busy machine; the output includes the load. The
// program is build/box/probe without arguments, which ends at once, so the difference is the
// cost of the box: namespaces, mounts, another user, limits, Landlock, filter, and waiting for
// the end. Run it in the workbook's folder.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/available.h"
#include "sandbox/process.h"

enum { RUNS = 101 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A quantile of sorted times in milliseconds; part 2: the median, part 10: the 10th percentile.
static double quantile(const double *seconds, int part)
{
    return 1e3 * seconds[RUNS / part];
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double run(char *path, const struct wall *wall, const struct box *box)
{
    const struct limits limits = {.seconds = 5, .megabytes = 64, .output_bytes = 1 << 16};
    char *arguments[] = {path, NULL}, *environment[] = {NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .directory = box == NULL ? "/" : NULL,
                                    .limits = &limits,
                                    .wall = wall,
                                    .box = box};
    double start = now();
    struct outcome outcome = process_run(&program);
    double seconds = now() - start;
    if (outcome.ending != EXITED || outcome.code != 2) {
        grader_fail("the probe ended with %d, status %d: %s", (int)outcome.ending,
                    outcome.code, outcome.output);
    }
    free(outcome.output);
    return seconds;
}

static void show(const char *what, double without, double with)
{
    printf("%-32s %8.1f %8.1f %10.1f\n", what, without, with, with - without);
}

int main(void)
{
    static double plain[RUNS], boxed[RUNS];
    char reason[512];
    if (!box_available(".", reason, sizeof reason)) {
        printf("no box on this machine: %s\n", reason);
        return 0;
    }
    char *path = realpath("build/box/probe", NULL);
    if (path == NULL) {
        grader_fail("build/box/probe is missing: run make bench");
    }
    // What a worker may read, as in grader/judge/worker.c.
    const char *const readable[] = {
        path,         "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives",
        "/proc/self", NULL};
    static const char *const writable[] = {"/dev/null", NULL};
    const struct wall wall = {readable, writable, false};
    const struct box box = {
        .kind = BOX_WORKER, .helper = "build/box/inside", .wall = &wall};
    for (int i = 0; i < RUNS; i++) {
        plain[i] = run(path, &wall, NULL);
        boxed[i] = run(path, &wall, &box);
    }
    qsort(plain, RUNS, sizeof *plain, ascending);
    qsort(boxed, RUNS, sizeof *boxed, ascending);
    double load = 0.0;
    getloadavg(&load, 1);
    printf(
        "one program, start to end, %d times in turns, on %ld cores with load %.0f; in ms\n",
        (int)RUNS, sysconf(_SC_NPROCESSORS_ONLN), load);
    printf("%-32s %8s %8s %10s\n", "", "plain", "in a box", "difference");
    show("median", quantile(plain, 2), quantile(boxed, 2));
    show("10th percentile", quantile(plain, 10), quantile(boxed, 10));
    free(path);
    return 0;
}
