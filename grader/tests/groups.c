// groups.c - tests a box's control group with the real kernel. test_cgroup.sh runs it, on this
// machine and on virtual machines. It does not use Criterion, which needs more address space
// than some of these machines have. Prints TAP; run from the workbook's folder.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/available.h"
#include "sandbox/process.h"
#include "sandbox/cgroup.h"

static int failures;

static void claim(bool holds, const char *what)
{
    printf("%s - version %d: %s\n", holds ? "ok" : "not ok", cgroup_place()->version,
           what);
    failures += !holds;
}

// Runs the probe with that much memory, and without the walls in leave_out.
static struct outcome attempt(const char *what, const char *argument, unsigned leave_out,
                              size_t megabytes)
{
    static const char *const readable[] = {"/usr", "/lib", "/lib64", NULL};
    static const char *const writable[] = {"/dev/null", NULL};
    static const struct box_path moved[] = {{"build/box/probe", "/probe"}, {NULL, NULL}};
    const struct wall wall = {readable, writable, false};
    const struct box box = {.helper = "build/box/inside",
                            .wall = &wall,
                            .moved = moved,
                            .leave_out = leave_out};
    const struct limits limits = {
        .seconds = 30, .megabytes = megabytes, .output_bytes = 1 << 16};
    char *arguments[] = {"/probe", (char *)what, (char *)argument, NULL};
    char *environment[] = {NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .limits = &limits,
                                    .box = &box};
    struct outcome outcome = process_run(&program);
    if (outcome.ending == NOT_STARTED) {
        printf("# %s: %s\n", what, outcome.output);
    }
    free(outcome.output);
    return outcome;
}

// The number of box groups.
static size_t count_groups(void)
{
    const struct cgroup_place *place = cgroup_place();
    size_t count = 0;
    for (size_t i = 0; i < place->folder_count; i++) {
        DIR *folder = opendir(place->folders[i]);
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            count += strncmp(entry->d_name, "attention-box.", 14) == 0;
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    return count;
}

static void limits_hold(void)
{
    enum { MEGABYTES = 16, BURSTS = 10 };
    int told = 0, told_of_child = 0;
    for (int i = 0; i < BURSTS; i++) {
        told += attempt("bursts", "100", 0, MEGABYTES).ending == OUT_OF_MEMORY;
        told_of_child +=
            attempt("bursts-in-a-child", "100", BOX_TREE, MEGABYTES).ending ==
            OUT_OF_MEMORY;
    }
    claim(told == BURSTS, "a burst of memory is told, every time");
    claim(told_of_child == BURSTS, "and one in a child that nobody waits for");
    struct outcome outcome = attempt("bursts", "100", 0, 256);
    claim(outcome.ending == EXITED && outcome.code == 1, "what is allowed goes through");
    outcome = attempt("bursts", "100", BOX_TREE | BOX_GROUP, MEGABYTES);
    claim(outcome.ending == EXITED && outcome.code == 1, "nothing else holds a burst");
    outcome = attempt("forks", "", BOX_LIMITS, 512);
    claim(outcome.ending == EXITED && outcome.code == 0, "processes are counted");
    claim(count_groups() == 0, "no group is left");
}

// A grader is killed while its group contains a process that does not die with it.
static pid_t leave_group(void)
{
    int ready[2];
    pid_t orphan = 0;
    if (pipe(ready) != 0) {
        return 0;
    }
    pid_t grader = fork();
    if (grader == 0) {
        struct cgroup *group = cgroup_make(cgroup_place(), 16, 8);
        pid_t child = fork();
        if (child == 0) {
            cgroup_enter(group);
            setsid();
            child = getpid();
            (void)!write(ready[1], &child, sizeof child);
            execl("/bin/sleep", "sleep", "60", NULL);
        }
        pause();
    }
    (void)!read(ready[0], &orphan, sizeof orphan);
    close(ready[0]);
    close(ready[1]);
    while (count_groups() == 0) {
    }
    kill(grader, SIGKILL);
    waitpid(grader, NULL, 0);
    return orphan;
}

// Its locks are released once the orphan runs another program.
static void leftovers_go(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const struct cgroup_place *place = cgroup_place();
    struct cgroup *alive = cgroup_make(place, 16, 8);
    size_t mine = count_groups(), swept = 0;
    pid_t orphan = leave_group();
    claim(count_groups() == 2 * mine, "a killed grader leaves its group behind");
    while (swept < mine) {
        swept += cgroup_sweep(place);
    }
    int status = 0;
    claim(waitpid(orphan, &status, 0) == orphan && WIFSIGNALED(status) &&
              WTERMSIG(status) == SIGKILL,
          "which the next one removes, with all that is in it");
    claim(cgroup_sweep(place) == 0 && count_groups() == mine,
          "and leaves those of the living alone");
    cgroup_end(alive);
    claim(count_groups() == 0, "no group is left at last");
}

int main(void)
{
    char reason[512];
    const struct cgroup_place *place = cgroup_place();
    alarm(120);
    setvbuf(stdout, NULL, _IONBF, 0);
    if (place->version == 0) {
        printf("ok - control groups # SKIP %s\n", place->reason);
        return 0;
    }
    if (!box_available(".", reason, sizeof reason)) {
        printf("ok - control groups # SKIP no box here: %s\n", reason);
        return 0;
    }
    limits_hold();
    leftovers_go();
    return failures > 0;
}
